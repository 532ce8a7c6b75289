import { Body, Controller, Module, Post } from '@nestjs/common';
import { APP_PIPE } from '@nestjs/core';
import { createZodDto, ZodValidationPipe } from 'nestjs-zod';
// Of the page on validation.
import { createOrderSchema } from './create-order.zod.js';

class CreateOrderDto extends createZodDto(createOrderSchema) {}

@Controller('orders')
class OrdersController {
  @Post()
  create(@Body() order: CreateOrderDto) {
    return order;
  }
}

@Module({
  controllers: [OrdersController],
  providers: [{ provide: APP_PIPE, useClass: ZodValidationPipe }],
})
export class AppModule {}
