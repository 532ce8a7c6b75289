import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import {
  ApiBadRequestResponse,
  ApiCreatedResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiServiceUnavailableResponse,
  ApiTags,
  ApiUnprocessableEntityResponse,
} from '@nestjs/swagger';
import { ErrorDto } from '../http/error.dto.js';
import { ParseSnowflakeIdPipe } from 'nestjs-snowflake/http';
import { ApiSnowflakeIdParam } from 'nestjs-snowflake/swagger';
import { CreateOrderDto } from './create-order.dto.js';
import { OrderDto, OrderPageDto } from './order.dto.js';
import type { Order } from './order.entity.js';
import { OrdersQuery } from './orders.query.js';
import { OrdersService } from './orders.service.js';

@ApiTags('orders')
@ApiBadRequestResponse({ type: ErrorDto })
@Controller('orders')
export class OrdersController {
  constructor(private readonly orders: OrdersService) {}

  @Post()
  @ApiOperation({ summary: 'Creates an order with its lines' })
  @ApiCreatedResponse({ type: OrderDto })
  @ApiUnprocessableEntityResponse({ type: ErrorDto, description: 'The customer does not exist' })
  @ApiServiceUnavailableResponse({
    type: ErrorDto,
    description: 'IDs are temporarily unavailable, or the database is busy: see Retry-After',
  })
  async create(@Body() body: CreateOrderDto): Promise<OrderDto> {
    return this.shown(await this.orders.create(body));
  }

  @Get()
  @ApiOperation({ summary: 'Lists orders, oldest first' })
  @ApiOkResponse({ type: OrderPageDto })
  async list(@Query() query: OrdersQuery): Promise<OrderPageDto> {
    const { items, next } = await this.orders.list(query);
    return { items: items.map((order) => this.shown(order)), next };
  }

  @Get(':id')
  @ApiOperation({ summary: 'Shows an order' })
  @ApiSnowflakeIdParam('id')
  @ApiOkResponse({ type: OrderDto })
  @ApiNotFoundResponse({ type: ErrorDto })
  async get(@Param('id', ParseSnowflakeIdPipe) id: string): Promise<OrderDto> {
    return this.shown(await this.orders.get(id));
  }

  private shown(order: Order): OrderDto {
    return OrderDto.of(order, this.orders.createdAt(order));
  }
}
