import 'reflect-metadata';
import { Body, Controller, Get, Module, Param, Post, Query, ValidationPipe } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiOkResponse,
  ApiProperty,
  DocumentBuilder,
  SwaggerModule,
} from '@nestjs/swagger';
import { IsArray } from 'class-validator';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SnowflakeIdMaker, SnowflakeModule, staticLeaseStore } from 'nestjs-snowflake';
import { ParseSnowflakeIdPipe } from 'nestjs-snowflake/http';
import { ApiSnowflakeId, ApiSnowflakeIdParam, ApiSnowflakeIdQuery } from 'nestjs-snowflake/swagger';
import { IsSnowflakeId } from 'nestjs-snowflake/validation';
import { Consumer, STEP_WITHIN_MS } from '../../consumers/consumer.js';
import { HttpApp } from '../../../adapters/http-apps.js';

/** Of 19 digits: the largest that the library accepts. */
const CUSTOMER = '9223372036854775807';

class CreateOrderDto {
  @ApiSnowflakeId()
  @IsSnowflakeId()
  customerId!: string;

  @ApiSnowflakeId({ isArray: true })
  @IsArray()
  @IsSnowflakeId({ each: true })
  productIds!: string[];
}

class OrderDto extends CreateOrderDto {
  @ApiSnowflakeId() id!: string;
  @ApiSnowflakeId({ required: false }) parentId?: string;
}

class FoundDto {
  @ApiSnowflakeId() id!: string;
  @ApiSnowflakeId() after!: string;
  @ApiSnowflakeId({ isArray: true }) ids!: string[];
}

/** What an app describes that declares its IDs as numbers. */
class RoundedDto {
  @ApiProperty({ type: Number }) id!: number;
}

@Controller('orders')
class OrdersController {
  constructor(private readonly ids: SnowflakeIdMaker) {}

  @Post()
  @ApiCreatedResponse({ type: OrderDto })
  create(@Body() order: CreateOrderDto): OrderDto {
    return { ...order, id: this.ids.nextId() };
  }

  @Get(':id')
  @ApiOkResponse({ type: FoundDto })
  @ApiSnowflakeIdParam('id')
  @ApiSnowflakeIdQuery('after')
  @ApiSnowflakeIdQuery('ids', { isArray: true })
  find(
    @Param('id', ParseSnowflakeIdPipe) id: string,
    @Query('after', ParseSnowflakeIdPipe) after: string,
    @Query('ids', new ParseSnowflakeIdPipe({ array: true })) ids: string[],
  ): FoundDto {
    return { id, after, ids };
  }

  @Get('rounded/:id')
  @ApiOkResponse({ type: RoundedDto })
  rounded(@Param('id') id: number): RoundedDto {
    return { id };
  }
}

@Module({
  imports: [SnowflakeModule.forRoot({ store: staticLeaseStore({ workerId: 7 }) })],
  controllers: [OrdersController],
})
class AppModule {}

/** A file of the user that treats IDs as numbers. The last line compiles: that DTO has a number. */
const NUMBERS = `import type { components, paths } from './api.js';
export const order: components['schemas']['CreateOrderDto'] = { customerId: 7, productIds: ['7'] };
export const list: components['schemas']['CreateOrderDto'] = { customerId: '7', productIds: [7] };
export const path: paths['/orders/{id}']['get']['parameters']['path'] = { id: 7 };
export const sum = (found: components['schemas']['FoundDto']): number => found.id;
export const rounded: components['schemas']['RoundedDto'] = { id: 7 };
`;

describe('a TypeScript client that is generated from the API description', () => {
  let app: HttpApp;
  let user: Consumer;
  /** What the compiler prints. It writes the client in spite of the errors in the other file. */
  let compiled: string;
  beforeAll(async () => {
    app = await HttpApp.start('Express', AppModule, (nest) =>
      nest.useGlobalPipes(new ValidationPipe({ transform: true })),
    );
    user = new Consumer('openapi-client');
    const document = SwaggerModule.createDocument(app.app, new DocumentBuilder().build());
    writeFileSync(join(user.folder, 'openapi.json'), JSON.stringify(document));
    await user.install();
    await user.script('generate');
    writeFileSync(join(user.folder, 'src/numbers.ts'), NUMBERS);
    compiled = await user.script('compile').catch((error: Error) => error.message);
  }, STEP_WITHIN_MS);
  afterAll(async () => {
    user?.remove();
    await app?.stop();
  });

  it('the generated client types IDs as strings, also in lists, paths and queries', () => {
    const api = readFileSync(join(user.folder, 'src/api.ts'), 'utf8');
    const types = [...api.matchAll(/^ +(\w*[iI]ds?|after)\??: ([\w[\]]+);$/gm)].map(
      ([, name, type]) => `${name}: ${type}`,
    );
    expect(new Set(types)).toEqual(
      new Set([
        'customerId: string',
        'productIds: string[]',
        'id: string',
        'parentId: string',
        'after: string',
        'ids: string[]',
        // The DTO of the control.
        'id: number',
      ]),
    );
  });

  it(
    'compiles, and carries IDs of 19 digits there and back',
    async () => {
      expect(compiled.match(/\S+(?=\(.*error TS)/g)?.filter((file) => file !== 'src/numbers.ts')).toEqual([]);
      const { stdout } = await user.run(process.execPath, 'dist/client.js', await app.app.getUrl(), CUSTOMER);
      const { created, found } = JSON.parse(stdout) as { created: OrderDto; found: FoundDto };
      expect(created).toEqual({
        id: expect.stringMatching(/^[1-9]\d{17,18}$/),
        customerId: CUSTOMER,
        productIds: [CUSTOMER, '7'],
      });
      expect(found).toEqual({ id: created.id, after: CUSTOMER, ids: [CUSTOMER, '7'] });
    },
    STEP_WITHIN_MS,
  );

  it('the generated client refuses numbers, except where the app describes a number (control)', () => {
    const lines = [...compiled.matchAll(/numbers\.ts\((\d+),\d+\): error TS2322/g)].map(([, line]) => line);
    expect(lines).toEqual(['2', '3', '4', '5']);
  });
});
