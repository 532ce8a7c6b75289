import 'reflect-metadata';
import {
  Body,
  ClassSerializerInterceptor,
  Controller,
  Get,
  Module,
  Param,
  Post,
  SerializeOptions,
  StandardSchemaValidationPipe,
  UseInterceptors,
  UsePipes,
  ValidationPipe,
} from '@nestjs/common';
import { IsArray, IsOptional } from 'class-validator';
import { randomBytes } from 'node:crypto';
import { obfuscatingCodec } from 'nestjs-snowflake/obfuscation';
import { IsSnowflakeId, PublicId, publicIdDecorator, snowflakeIdSchema } from 'nestjs-snowflake/validation';
import { HttpApp, PLATFORMS } from './http-apps.js';

const ID = '382475217496248322';
const OTHER = '382475217496248323';
const hidden = obfuscatingCodec({ keys: { 1: randomBytes(32).toString('hex') }, current: 1 });
const HiddenId = publicIdDecorator(() => hidden);

class OrderDto {
  @IsSnowflakeId() customerId!: string;
  @IsOptional() @IsSnowflakeId() parentId?: string;
  @IsOptional() @IsArray() @IsSnowflakeId({ each: true }) productIds?: string[];
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
class OrdersController {
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

@Module({ controllers: [OrdersController] })
class AppModule {}

describe.each(PLATFORMS)('the door for validation on %s', (platform) => {
  let app: HttpApp;
  beforeAll(async () => {
    app = await HttpApp.start(platform, AppModule);
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

  it('refuses a body without the ID', async () => {
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

  it('writes public IDs, of instances and of plain objects', async () => {
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

  it('is a Standard Schema, which Nest reads', async () => {
    expect(await app.get(`/schema/${ID}`)).toMatchObject({ status: 200, body: { id: ID } });
    expect(await app.get('/schema/12x')).toMatchObject({
      status: 400,
      body: { message: [expect.stringContaining('is not a valid ID')] },
    });
  });
});

describe('the decorators', () => {
  it('refuse options at the definition of the class', () => {
    expect(() => IsSnowflakeId({ maxAheadMs: -1 })).toThrow(/maxAheadMs/);
    expect(() => PublicId('Not a prefix')).toThrow(/prefix/);
  });
});
