import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { ApiSnowflakeId } from 'nestjs-snowflake/swagger';
import type { EntryPointUse } from '../entry-point-use.js';

class InvoiceDto {
  @ApiSnowflakeId() id: string;
}

@Controller('swagger')
class SwaggerController {
  @Get()
  @ApiOkResponse({ type: InvoiceDto })
  find(): InvoiceDto {
    return { id: '382475217496248322' };
  }
}

export const swagger: EntryPointUse = {
  controllers: [SwaggerController],
  async use(app) {
    const { components } = SwaggerModule.createDocument(app, new DocumentBuilder().build());
    const schema = components?.schemas?.['InvoiceDto'] as
      | { properties: { id: { type: string; format: string } } }
      | undefined;
    return [schema?.properties.id.type, schema?.properties.id.format];
  },
};
