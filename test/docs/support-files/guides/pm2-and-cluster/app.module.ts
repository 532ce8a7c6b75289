import { Controller, Get, Module } from '@nestjs/common';
import { SnowflakeIdMaker } from 'nestjs-snowflake';
import { IdsModule } from './ids.module.js';

@Controller()
class IdsController {
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

@Module({ imports: [IdsModule], controllers: [IdsController] })
export class AppModule {}
