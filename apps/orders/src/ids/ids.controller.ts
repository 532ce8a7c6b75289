import { Controller, Get, Param } from '@nestjs/common';
import { ApiBadRequestResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { SnowflakeIdMaker } from 'nestjs-snowflake';
import { ErrorDto } from '../http/error.dto.js';
import { DecodedIdDto } from './decoded-id.dto.js';
import { ParseSnowflakeIdPipe } from 'nestjs-snowflake/http';
import { ApiSnowflakeIdParam } from 'nestjs-snowflake/swagger';

@ApiTags('ids')
@Controller('ids')
export class IdsController {
  constructor(private readonly ids: SnowflakeIdMaker) {}

  @Get(':id')
  @ApiOperation({ summary: 'Shows when and by which worker ID an ID was made' })
  @ApiSnowflakeIdParam('id')
  @ApiOkResponse({ type: DecodedIdDto })
  @ApiBadRequestResponse({ type: ErrorDto })
  decode(@Param('id', ParseSnowflakeIdPipe) id: string): DecodedIdDto {
    const { timestamp, timestampMs, workerId, sequence } = this.ids.decode(id);
    return { id, timestamp, timestampMs, workerId, sequence };
  }
}
