import { Controller, Get } from '@nestjs/common';
import { SnowflakeIdMaker } from 'nestjs-snowflake';

@Controller()
export class OrdersController {
  constructor(private readonly ids: SnowflakeIdMaker) {}

  @Get('id')
  next(): string {
    return this.ids.nextId();
  }

  @Get('crash')
  crash(): void {
    process.exit(1);
  }
}
