import {
  BadRequestException,
  Body,
  ClassSerializerInterceptor,
  Controller,
  Get,
  HttpException,
  Module,
  Param,
  Post,
  Query,
  SerializeOptions,
  StandardSchemaValidationPipe,
  UseInterceptors,
  UsePipes,
  ValidationPipe,
} from '@nestjs/common';
import { APP_FILTER, NestFactory } from '@nestjs/core';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import {
  AcquireTimeoutError,
  InvalidIdError,
  InvalidOptionError,
  SnowflakeModule,
  StoppedError,
  staticLeaseStore,
} from 'nestjs-snowflake';
import { InvalidDateError } from 'nestjs-snowflake-series';
import { BitLayout, IdDecoder, prefixedCodec } from 'nestjs-snowflake/core';
import { ParseSnowflakeIdPipe, SnowflakeExceptionFilter, snowflakeIdSchema } from 'nestjs-snowflake/http';
import { obfuscatingCodec } from 'nestjs-snowflake/obfuscation';
import { ApiSnowflakeId, ApiSnowflakeIdParam, ApiSnowflakeIdQuery } from 'nestjs-snowflake/swagger';
import { IsSnowflakeId, PublicId, publicIdDecorator } from 'nestjs-snowflake/validation';
import { randomBytes } from 'node:crypto';
import 'reflect-metadata';
import { lastValueFrom, type Observable } from 'rxjs';
import { LeaseExhaustedError } from '../../libs/snowflake/src/core/errors/issuing-errors.js';
import { HttpApp, PLATFORMS } from './http-apps.js';

const ID = '382475217496248322';
const ERRORS: Record<string, () => Error> = {
  retryable: () => new AcquireTimeoutError(80_000, 'shop', 'redis://10.0.0.7 is unreachable'),
  stopped: () => new StoppedError(),
  invalid: () => new InvalidIdError('x', 'is too short'),
  'a bad date': () => new InvalidDateError('Invoice.issuedOn', '2026-13-99', 'is not a date of the calendar'),
  setup: () => new InvalidOptionError('lease.windowMs', 1, 'is out of bounds', 'Use more.'),
};

@Controller()
class IdsController {
  @Get('one/:id')
  one(@Param('id', ParseSnowflakeIdPipe) id: string): unknown {
    return { id };
  }

  @Get('public/:id')
  public(@Param('id', new ParseSnowflakeIdPipe({ codec: prefixedCodec('ord') })) id: string): unknown {
    return { id };
  }

  @Get('optional')
  optional(@Query('id', new ParseSnowflakeIdPipe({ optional: true })) id?: string): unknown {
    return { id: id ?? 'none' };
  }

  @Get('many')
  many(@Query('ids', new ParseSnowflakeIdPipe({ array: true, maxItems: 3 })) ids: string[]): unknown {
    return { ids };
  }

  @Get('errors/:name')
  error(@Param('name') name: string): never {
    throw ERRORS[name]!();
  }
}

@Module({
  imports: [SnowflakeModule.forRoot({ store: staticLeaseStore({ workerId: 1 }) })],
  controllers: [IdsController],
  providers: [{ provide: APP_FILTER, useClass: SnowflakeExceptionFilter }],
})
class AppModule {}

describe.each(PLATFORMS)('the entry point for HTTP on %s', (platform) => {
  let app: HttpApp;
  beforeAll(async () => {
    app = await HttpApp.start(platform, AppModule);
  });
  afterAll(() => app?.stop());

  it('passes an ID of a path on to the handler', async () => {
    expect(await app.get(`/one/${ID}`)).toMatchObject({ status: 200, body: { id: ID } });
  });

  it('responds with 400 to a wrong ID and names what to send', async () => {
    expect(await app.get('/one/12x')).toMatchObject({
      status: 400,
      body: {
        message:
          'id is not a valid ID: it contains a character other than decimal digits. Send the ID as the API returned it: ' +
          'a string of 1 to 19 digits, at most 9223372036854775807.',
      },
    });
  });

  it('turns a public ID into the ID', async () => {
    expect(await app.get('/public/ord_0SFjugjHF10')).toMatchObject({ status: 200, body: { id: ID } });
    expect(await app.get(`/public/${ID}`)).toMatchObject({ status: 400 });
  });

  it('accepts a missing ID only where it is optional', async () => {
    expect(await app.get('/optional')).toMatchObject({ status: 200, body: { id: 'none' } });
    expect(await app.get('/optional?id=')).toMatchObject({ status: 400 });
    expect(await app.get('/many')).toMatchObject({ status: 400 });
  });

  it('reads lists of IDs in both forms, up to their bound', async () => {
    for (const query of ['ids=1,2', 'ids=1&ids=2']) {
      expect(await app.get(`/many?${query}`)).toMatchObject({ status: 200, body: { ids: ['1', '2'] } });
    }
    expect(await app.get('/many?ids=1,x')).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('ids[1] is not a valid ID') },
    });
    expect(await app.get('/many?ids=1,2,3,4')).toMatchObject({
      status: 400,
      body: { message: 'ids has 4 IDs. Send at most 3.' },
    });
  });

  it.each([
    ['retryable', 503, 'SNOWFLAKE_ACQUIRE_TIMEOUT'],
    ['stopped', 503, 'SNOWFLAKE_STOPPED'],
    ['invalid', 400, 'SNOWFLAKE_INVALID_ID'],
    ['a bad date', 400, 'SNOWFLAKE_INVALID_DATE'],
    ['setup', 500, 'SNOWFLAKE_INVALID_OPTION'],
  ])('responds to an error of the kind %s with %i', async (name, status, code) => {
    const answer = await app.get(`/errors/${name}`);
    expect(answer).toMatchObject({ status, body: { statusCode: status, code } });
    expect(answer.headers.get('retry-after')).toBe(status === 503 ? '1' : null);
    expect(JSON.stringify(answer.body)).not.toMatch(/10\.0\.0\.7|windowMs|issuedOn/);
  });
});

describe('ParseSnowflakeIdPipe', () => {
  it('throws the exception of the option exceptionFactory', () => {
    const pipe = new ParseSnowflakeIdPipe({ exceptionFactory: (message) => new TypeError(message) });
    expect(() => pipe.transform('x', { type: 'param', data: 'id' })).toThrow(TypeError);
    const ordinary = new ParseSnowflakeIdPipe();
    expect(() => ordinary.transform('x', { type: 'param', data: 'id' })).toThrow(BadRequestException);
  });

  it('reads a value without metadata, as in a unit test', () => {
    expect(new ParseSnowflakeIdPipe().transform(ID)).toBe(ID);
    expect(new ParseSnowflakeIdPipe({ array: true }).transform('1,2')).toEqual(['1', '2']);
    expect(() => new ParseSnowflakeIdPipe().transform('x')).toThrow(/^value is not a valid ID/);
    expect(() => new ParseSnowflakeIdPipe({ array: true }).transform('1,x')).toThrow(/^value\[1\] is not/);
    expect(new ParseSnowflakeIdPipe({ optional: true }).transform(undefined)).toBeUndefined();
  });

  it.each([
    [{ optional: 'yes' }, 'optional'],
    [{ separator: 'a' }, 'separator'],
    [{ maxItems: 0 }, 'maxItems'],
    [{ exceptionFactory: 1 }, 'exceptionFactory'],
    [{ lenient: true }, 'lenient'],
  ])('refuses the option %j of ParseSnowflakeIdPipe', (options, option) => {
    expect(() => new ParseSnowflakeIdPipe(options as object)).toThrow(
      expect.objectContaining({ code: 'SNOWFLAKE_INVALID_OPTION', option }),
    );
  });
});

const OTHER = '382475217496248323';
const hidden = obfuscatingCodec({ keys: { 1: randomBytes(32).toString('hex') }, current: 1 });
const HiddenId = publicIdDecorator(() => hidden);

class OrderDto {
  @IsSnowflakeId() customerId!: string;
  @IsOptional() @IsSnowflakeId() parentId?: string;
  @IsOptional() @IsSnowflakeId({ each: true }) productIds?: string[];
}

class PublicOrderDto {
  constructor(fields?: Partial<PublicOrderDto>) {
    Object.assign(this, fields);
  }

  @PublicId('ord') id!: string;
  @IsOptional() @PublicId('prd', { each: true }) productIds?: string[];
  @IsOptional() @HiddenId('inv') invoiceId?: string;
}

@Controller()
class ValidatedController {
  @Post('orders')
  @UsePipes(new ValidationPipe({ transform: true }))
  create(@Body() order: OrderDto): unknown {
    return { ...order };
  }

  @Post('converting')
  @UsePipes(new ValidationPipe({ transform: true, transformOptions: { enableImplicitConversion: true } }))
  converting(@Body() order: OrderDto): unknown {
    return { ...order };
  }

  @Post('public')
  @UsePipes(new ValidationPipe({ transform: true }))
  public(@Body() order: PublicOrderDto): unknown {
    return { ...order };
  }

  @Get('shown')
  @UseInterceptors(ClassSerializerInterceptor)
  shown(): PublicOrderDto {
    return new PublicOrderDto({ id: ID, productIds: [ID, OTHER], invoiceId: ID });
  }

  @Get('typed')
  @UseInterceptors(ClassSerializerInterceptor)
  @SerializeOptions({ type: PublicOrderDto })
  typed(): unknown {
    return { id: ID };
  }

  @Get('schema/:id')
  @UsePipes(new StandardSchemaValidationPipe())
  schema(@Param('id', { schema: snowflakeIdSchema() }) id: string): unknown {
    return { id };
  }
}

@Module({ controllers: [ValidatedController] })
class ValidatedModule {}

describe.each(PLATFORMS)('the entry point for validation on %s', (platform) => {
  let app: HttpApp;
  beforeAll(async () => {
    app = await HttpApp.start(platform, ValidatedModule);
  });
  afterAll(() => app?.stop());

  it.each(['/orders', '/converting'])('accepts IDs in a body of %s', async (path) => {
    const order = { customerId: ID, parentId: OTHER, productIds: [ID, OTHER] };
    expect(await app.post(path, JSON.stringify(order))).toMatchObject({ status: 201, body: order });
  });

  it.each(['/orders', '/converting'])(
    'refuses a JSON number in a body of %s, with the reason',
    async (path) => {
      const bodies = [`{"customerId":${ID}}`, `{"customerId":"1","productIds":["1",${ID}]}`];
      const names = ['customerId', 'productIds[1]'];
      for (const [at, body] of bodies.entries()) {
        expect(await app.post(path, body)).toMatchObject({
          status: 400,
          body: { message: [expect.stringContaining(`${names[at]} is not a valid ID: it is a JSON number`)] },
        });
      }
    },
  );

  it.each([
    ['/orders', { customerId: ID }, [ID, OTHER]],
    ['/public', { id: 'ord_0SFjugjHF10' }, ['prd_0SFjugjHF10']],
  ])('refuses one ID, an object or a number in place of a list in a body of %s', async (path, body, list) => {
    for (const productIds of [list[0], { 0: list[0], length: 1 }, 5, true, '']) {
      expect(await app.post(path, JSON.stringify({ ...body, productIds }))).toMatchObject({
        status: 400,
        body: { message: [expect.stringMatching(/^productIds is not a list/)] },
      });
    }
    for (const productIds of [[], list])
      expect(await app.post(path, JSON.stringify({ ...body, productIds }))).toMatchObject({ status: 201 });
  });

  it('refuses a body without its ID', async () => {
    expect(await app.post('/orders', '{}')).toMatchObject({
      status: 400,
      body: { message: [expect.stringContaining('customerId is not a valid ID: it is missing')] },
    });
  });

  it('reads public IDs and refuses others', async () => {
    const order = {
      id: 'ord_0SFjugjHF10',
      productIds: ['prd_0SFjugjHF10'],
      invoiceId: `inv_${hidden.encode(ID)}`,
    };
    expect(await app.post('/public', JSON.stringify(order))).toMatchObject({
      status: 201,
      body: { id: ID, productIds: [ID], invoiceId: ID },
    });
    for (const id of [`"${ID}"`, ID, '"prd_0SFjugjHF10"', 'null', '""', '{}']) {
      expect(await app.post('/public', `{"id":${id}}`)).toMatchObject({
        status: 400,
        body: { message: [expect.stringMatching(/^id is not a valid ID: it /)] },
      });
    }
  });

  it('writes public IDs of instances and of plain objects', async () => {
    expect(await app.get('/shown')).toMatchObject({
      status: 200,
      body: {
        id: 'ord_0SFjugjHF10',
        productIds: ['prd_0SFjugjHF10', 'prd_0SFjugjHF11'],
        invoiceId: `inv_${hidden.encode(ID)}`,
      },
    });
    expect(await app.get('/typed')).toMatchObject({ status: 200, body: { id: 'ord_0SFjugjHF10' } });
  });

  it('validates an ID with a Standard Schema that Nest reads', async () => {
    expect(await app.get(`/schema/${ID}`)).toMatchObject({ status: 200, body: { id: ID } });
    expect(await app.get('/schema/12x')).toMatchObject({
      status: 400,
      body: { message: [expect.stringContaining('is not a valid ID')] },
    });
  });
});

describe('the decorators', () => {
  it('refuses wrong options of a decorator when the class is defined', () => {
    expect(() => IsSnowflakeId({ maxAheadMs: -1 })).toThrow(/maxAheadMs/);
    expect(() => PublicId('Not a prefix')).toThrow(/prefix/);
  });
});

class DescribedOrderDto {
  @ApiSnowflakeId() id!: string;
  @ApiSnowflakeId({ required: false, description: 'The order before' }) parentId?: string;
  @ApiSnowflakeId({ isArray: true }) productIds!: string[];
  @ApiSnowflakeId({ codec: prefixedCodec('ord') }) publicId!: string;
}

@Controller('orders')
class DescribedController {
  @Get(':id')
  @ApiSnowflakeIdParam('id')
  @ApiSnowflakeIdQuery('ids', { isArray: true, required: false })
  @ApiSnowflakeIdQuery('after', { required: false })
  @ApiSnowflakeIdQuery('orderId', { codec: prefixedCodec('ord'), required: false })
  find(@Param('id') id: string, @Query('ids') ids: string[], @Query('after') after?: string): unknown {
    return { id, ids, after };
  }

  @Post()
  create(@Body() order: DescribedOrderDto): DescribedOrderDto {
    return order;
  }
}

@Module({ controllers: [DescribedController] })
class DescribedModule {}

async function documented(): Promise<OpenAPIObject> {
  const app = await NestFactory.create(DescribedModule, { logger: false });
  try {
    return SwaggerModule.createDocument(app, new DocumentBuilder().build());
  } finally {
    await app.close();
  }
}

const ITEMS = { type: 'string', format: 'snowflake-id', pattern: expect.any(String) };
const DESCRIBED_ID = {
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

  it('describes the IDs of a DTO as strings', () => {
    const schema = document.components!.schemas!['DescribedOrderDto'] as Record<string, unknown>;
    expect(schema).toMatchObject({
      required: ['id', 'productIds', 'publicId'],
      properties: {
        id: DESCRIBED_ID,
        parentId: { ...DESCRIBED_ID, description: 'The order before' },
        productIds: { type: 'array', items: ITEMS, example: [expect.any(String)] },
        publicId: { type: 'string', example: 'ord_0SFjugjHF10' },
      },
    });
  });

  it('describes the IDs of paths and queries as strings', () => {
    const { parameters } = document.paths['/orders/{id}']!.get!;
    expect(parameters).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'id', in: 'path', required: true, schema: DESCRIBED_ID }),
        expect.objectContaining({ name: 'after', in: 'query', required: false, schema: DESCRIBED_ID }),
        expect.objectContaining({
          name: 'orderId',
          schema: expect.objectContaining({ type: 'string', example: 'ord_0SFjugjHF10' }),
        }),
        expect.objectContaining({
          name: 'ids',
          in: 'query',
          schema: { type: 'array', items: ITEMS, example: [expect.any(String)] },
        }),
      ]),
    );
  });

  it('describes an ID with an example that matches its pattern and decodes', () => {
    const { example, pattern } = (
      document.components!.schemas!['DescribedOrderDto'] as { properties: { id: Record<string, string> } }
    ).properties.id;
    expect(example).toMatch(new RegExp(pattern!));
    expect(new IdDecoder(new BitLayout()).decode(example!).timestamp.toISOString()).toBe(
      '2026-11-21T10:19:57.897Z',
    );
  });
});

const filter = new SnowflakeExceptionFilter();
const UNAVAILABLE = {
  statusCode: 503,
  error: 'Service Unavailable',
  message: "The server can't do this right now. Send the request again.",
  code: 'SNOWFLAKE_LEASE_EXHAUSTED',
};

function contextOf(type: string, ...args: unknown[]): ExecutionContextHost {
  const context = new ExecutionContextHost(args);
  context.setType(type);
  return context;
}

describe('the exception filter beside HTTP', () => {
  const error = new LeaseExhaustedError(7, new Date());

  it('returns an exception to GraphQL, whose driver makes an error of it', () => {
    const returned = filter.catch(error, contextOf('graphql')) as HttpException;
    expect(returned).toBeInstanceOf(HttpException);
    expect(returned).toMatchObject({
      message: UNAVAILABLE.message,
      cause: error,
      extensions: { code: 'SERVICE_UNAVAILABLE', snowflakeCode: UNAVAILABLE.code },
    });
    expect(returned.getStatus()).toBe(503);
  });

  it('returns an observable that fails to a microservice', async () => {
    const returned = filter.catch(error, contextOf('rpc')) as Observable<never>;
    await expect(lastValueFrom(returned)).rejects.toEqual({ status: 'error', ...UNAVAILABLE });
  });

  it('emits an exception to the client of a WebSocket', () => {
    const emitted: unknown[] = [];
    const client = { emit: (...sent: unknown[]) => emitted.push(sent) };
    filter.catch(new InvalidIdError('x', 'is too short'), contextOf('ws', client));
    expect(emitted).toEqual([
      [
        'exception',
        expect.objectContaining({ status: 'error', statusCode: 400, code: 'SNOWFLAKE_INVALID_ID' }),
      ],
    ]);
  });

  it('throws the exception where there is no HTTP server', () => {
    expect(() => filter.catch(error, contextOf('http', {}, {}))).toThrow(HttpException);
  });
});
