import { Body, Controller, Get, Param, Post } from '@nestjs/common';
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
import { ParseSnowflakeIdPipe } from 'nestjs-snowflake/http';
import { ApiSnowflakeIdParam } from 'nestjs-snowflake/swagger';
import { ErrorDto } from '../http/error.dto.js';
import { CreateInvoiceDto } from './create-invoice.dto.js';
import { InvoiceDto } from './invoice.dto.js';
import { InvoicesService } from './invoices.service.js';

@ApiTags('invoices')
@ApiBadRequestResponse({ type: ErrorDto })
@Controller('invoices')
export class InvoicesController {
  constructor(private readonly invoices: InvoicesService) {}

  @Post()
  @ApiOperation({ summary: 'Writes the invoice of an order, once' })
  @ApiCreatedResponse({
    type: InvoiceDto,
    description: 'The invoice of the order, which may be an older one',
  })
  @ApiUnprocessableEntityResponse({ type: ErrorDto, description: 'The order does not exist' })
  @ApiServiceUnavailableResponse({
    type: ErrorDto,
    description: 'IDs are temporarily unavailable, or the database is busy: see Retry-After',
  })
  async create(@Body() body: CreateInvoiceDto): Promise<InvoiceDto> {
    return InvoiceDto.of(await this.invoices.issue(body));
  }

  @Get(':id')
  @ApiOperation({ summary: 'Shows an invoice' })
  @ApiSnowflakeIdParam('id')
  @ApiOkResponse({ type: InvoiceDto })
  @ApiNotFoundResponse({ type: ErrorDto })
  async get(@Param('id', ParseSnowflakeIdPipe) id: string): Promise<InvoiceDto> {
    return InvoiceDto.of(await this.invoices.get(id));
  }
}
