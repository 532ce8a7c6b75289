import { Controller, Get, Param } from '@nestjs/common';
import { ApiBadRequestResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { SnowflakeIdMaker } from 'nestjs-snowflake';
import { ErrorDto } from '../http/error.dto.js';
import { DecodedIdDto } from './decoded-id.dto.js';
import { SnowflakeIdPipe } from './snowflake-id.pipe.js';
import { SNOWFLAKE_ID_SCHEMA } from './snowflake-id.validator.js';

@ApiTags('ids')
@Controller('ids')
export class IdsController {
  constructor(private readonly ids: SnowflakeIdMaker) {}

  @Get(':id')
  @ApiOperation({ summary: 'Shows when and by which worker ID an ID was made' })
  @ApiParam({ name: 'id', schema: SNOWFLAKE_ID_SCHEMA })
  @ApiOkResponse({ type: DecodedIdDto })
  @ApiBadRequestResponse({ type: ErrorDto })
  decode(@Param('id', SnowflakeIdPipe) id: string): DecodedIdDto {
    const { timestamp, timestampMs, workerId, sequence } = this.ids.decode(id);
    return { id, timestamp, timestampMs, workerId, sequence };
  }
}
