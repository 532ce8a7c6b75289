import { Body, Controller, Get, Param, Post } from '@nestjs/common';
import {
  ApiBadRequestResponse,
  ApiCreatedResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiServiceUnavailableResponse,
  ApiTags,
  ApiUnprocessableEntityResponse,
} from '@nestjs/swagger';
import { ParseSnowflakeIdPipe } from 'nestjs-snowflake/http';
import { ErrorDto } from '../http/error.dto.js';
import { CreateTicketDto, TicketDto } from './ticket.dto.js';
import { TicketsService } from './tickets.service.js';

@ApiTags('tickets')
@ApiBadRequestResponse({ type: ErrorDto })
@Controller('tickets')
export class TicketsController {
  constructor(private readonly tickets: TicketsService) {}

  @Post()
  @ApiOperation({ summary: 'Opens a support ticket, with a number that is short enough for the phone' })
  @ApiCreatedResponse({ type: TicketDto })
  @ApiUnprocessableEntityResponse({ type: ErrorDto, description: 'The customer does not exist' })
  @ApiServiceUnavailableResponse({
    type: ErrorDto,
    description: 'Numbers are temporarily unavailable, or the database is busy: see Retry-After',
  })
  async open(@Body() body: CreateTicketDto): Promise<TicketDto> {
    return TicketDto.of(await this.tickets.open(body));
  }

  @Get(':number')
  @ApiOperation({ summary: 'Shows a support ticket' })
  @ApiParam({ name: 'number', schema: { type: 'integer', minimum: 1 } })
  @ApiOkResponse({ type: TicketDto })
  @ApiNotFoundResponse({ type: ErrorDto })
  // The pipe accepts every 64-bit number.
  async get(@Param('number', ParseSnowflakeIdPipe) number: string): Promise<TicketDto> {
    return TicketDto.of(await this.tickets.get(number));
  }
}
