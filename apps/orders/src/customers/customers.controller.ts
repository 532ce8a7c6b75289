import { Body, Controller, Get, Param, Post } from '@nestjs/common';
import {
  ApiBadRequestResponse,
  ApiConflictResponse,
  ApiCreatedResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiServiceUnavailableResponse,
  ApiTags,
} from '@nestjs/swagger';
import { ErrorDto } from '../http/error.dto.js';
import { ParseSnowflakeIdPipe } from 'nestjs-snowflake/http';
import { ApiSnowflakeIdParam } from 'nestjs-snowflake/swagger';
import { CreateCustomerDto, CustomerDto } from './customer.dto.js';
import { CustomersService } from './customers.service.js';

@ApiTags('customers')
@ApiBadRequestResponse({ type: ErrorDto })
@Controller('customers')
export class CustomersController {
  constructor(private readonly customers: CustomersService) {}

  @Post()
  @ApiOperation({ summary: 'Creates a customer' })
  @ApiCreatedResponse({ type: CustomerDto })
  @ApiConflictResponse({ type: ErrorDto, description: 'Another customer has this e-mail address' })
  @ApiServiceUnavailableResponse({
    type: ErrorDto,
    description: 'IDs are temporarily unavailable, or the database is busy: see Retry-After',
  })
  create(@Body() body: CreateCustomerDto): Promise<CustomerDto> {
    return this.customers.create(body);
  }

  @Get(':id')
  @ApiOperation({ summary: 'Shows a customer' })
  @ApiSnowflakeIdParam('id')
  @ApiOkResponse({ type: CustomerDto })
  @ApiNotFoundResponse({ type: ErrorDto })
  get(@Param('id', ParseSnowflakeIdPipe) id: string): Promise<CustomerDto> {
    return this.customers.get(id);
  }
}
