import { Body, Controller, Post, ValidationPipe } from '@nestjs/common';
import { IsSnowflakeId } from 'nestjs-snowflake/validation';
import type { EntryPointUse } from '../entry-point-use.js';

class OrderDto {
  @IsSnowflakeId() customerId: string;
}

@Controller('validation')
class ValidationController {
  @Post()
  create(@Body(new ValidationPipe()) order: OrderDto): OrderDto {
    return order;
  }
}

export const validation: EntryPointUse = {
  controllers: [ValidationController],
  async use(_app, url) {
    const headers = { 'content-type': 'application/json' };
    const bodies = ['{"customerId":"382475217496248322"}', '{"customerId":382475217496248322}'];
    const post = (body: string) => fetch(`${url}/validation`, { method: 'POST', headers, body });
    return Promise.all(bodies.map(async (body) => (await post(body)).status));
  },
};
