import 'reflect-metadata';
import { Body, Controller, Get, Module, Param, Post, Query } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { BitLayout, IdDecoder } from 'nestjs-snowflake/core';
import { prefixedCodec } from 'nestjs-snowflake/codecs';
import { ApiSnowflakeId, ApiSnowflakeIdParam, ApiSnowflakeIdQuery } from 'nestjs-snowflake/swagger';

class OrderDto {
  @ApiSnowflakeId() id!: string;
  @ApiSnowflakeId({ required: false, description: 'The order before' }) parentId?: string;
  @ApiSnowflakeId({ isArray: true }) productIds!: string[];
  @ApiSnowflakeId({ codec: prefixedCodec('ord') }) publicId!: string;
}

@Controller('orders')
class OrdersController {
  @Get(':id')
  @ApiSnowflakeIdParam('id')
  @ApiSnowflakeIdQuery('ids', { isArray: true, required: false })
  @ApiSnowflakeIdQuery('after', { required: false })
  find(@Param('id') id: string, @Query('ids') ids: string[], @Query('after') after?: string): unknown {
    return { id, ids, after };
  }

  @Post()
  create(@Body() order: OrderDto): OrderDto {
    return order;
  }
}

@Module({ controllers: [OrdersController] })
class AppModule {}

async function documented(): Promise<OpenAPIObject> {
  const app = await NestFactory.create(AppModule, { logger: false });
  try {
    return SwaggerModule.createDocument(app, new DocumentBuilder().build());
  } finally {
    await app.close();
  }
}

const ITEMS = { type: 'string', format: 'snowflake-id', pattern: expect.any(String) };
const ID = {
  type: 'string',
  format: 'snowflake-id',
  pattern: expect.any(String),
  example: expect.any(String),
};

describe('the API description', () => {
  let document: OpenAPIObject;
  beforeAll(async () => {
    document = await documented();
  });

  it('has IDs of a DTO as strings', () => {
    const schema = document.components!.schemas!['OrderDto'] as Record<string, unknown>;
    expect(schema).toMatchObject({
      required: ['id', 'productIds', 'publicId'],
      properties: {
        id: ID,
        parentId: { ...ID, description: 'The order before' },
        productIds: { type: 'array', items: ITEMS, example: [expect.any(String)] },
        publicId: { type: 'string', example: 'ord_0SFjugjHF10' },
      },
    });
  });

  it('has IDs of paths and queries as strings', () => {
    const { parameters } = document.paths['/orders/{id}']!.get!;
    expect(parameters).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'id', in: 'path', required: true, schema: ID }),
        expect.objectContaining({ name: 'after', in: 'query', required: false, schema: ID }),
        expect.objectContaining({
          name: 'ids',
          in: 'query',
          schema: { type: 'array', items: ITEMS, example: [expect.any(String)] },
        }),
      ]),
    );
  });

  it('has an example that matches its pattern and decodes', () => {
    const { example, pattern } = (
      document.components!.schemas!['OrderDto'] as { properties: { id: Record<string, string> } }
    ).properties.id;
    expect(example).toMatch(new RegExp(pattern!));
    expect(new IdDecoder(new BitLayout()).decode(example!).timestamp.toISOString()).toBe(
      '2026-11-21T10:19:57.897Z',
    );
  });
});
