import 'reflect-metadata';
import {
  Body,
  Controller,
  Get,
  Module,
  Param,
  ParseIntPipe,
  Post,
  type Type,
  ValidationPipe,
} from '@nestjs/common';
import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import { APP_FILTER } from '@nestjs/core';
import { GraphQLModule } from '@nestjs/graphql';
import { jest } from '@jest/globals';
import { Expose, instanceToPlain, Type as ConvertTo } from 'class-transformer';
import { IsInt, IsNumberString } from 'class-validator';
import {
  InvalidOptionError,
  LeaseExhaustedError,
  SnowflakeIdMaker,
  SnowflakeModule,
  staticLeaseStore,
} from 'nestjs-snowflake';
import { bigintAsText, bigintsAsText, SnowflakeExceptionFilter } from 'nestjs-snowflake/http';
import { HttpApp, PLATFORMS } from '../adapters/http-apps.js';
import { PageCode, testThatAllHaveRun } from './page-code.js';

const ID = '382475217496248322';
const ROUNDED = 382475217496248300;
const MADE_AT = '2026-11-21T10:19:57.897Z';

const code = new PageCode('docs/guides/json-and-frontends.md');
const { page } = code;
describe('JSON', () => {
  it('JSON.parse rounds a number as the page shows', () => {
    const [first = ''] = page.blocksIn('js').map(({ text }) => text);
    const [, json = '', rounded = ''] = /JSON\.parse\('(.*)'\)\.id; \/\/ (\d+),/.exec(first) ?? [];
    expect(String((JSON.parse(json) as { id: number }).id)).toBe(rounded);
    expect(() => JSON.stringify({ id: 1n })).toThrow('Do not know how to serialize a BigInt');
  });
});

class ConvertedDto {
  @ConvertTo(() => Number)
  @IsInt()
  readonly id!: number;
}

class NumericDto {
  @IsNumberString()
  readonly id!: string;
}

@Controller()
class RoundingController {
  @Get('parsed/:id')
  parsed(@Param('id', ParseIntPipe) id: number): unknown {
    return { id };
  }

  @Get('typed/:id')
  typed(@Param('id') id: number): unknown {
    return { id };
  }

  @Post('converted')
  converted(@Body() { id }: ConvertedDto): unknown {
    return { id };
  }

  @Post('numeric')
  numeric(@Body() { id }: NumericDto): unknown {
    return { id };
  }
}

@Module({ controllers: [RoundingController] })
class RoundingModule {}

describe('code that rounds', () => {
  async function withApp(pipe: ValidationPipe, use: (app: HttpApp) => Promise<void>): Promise<void> {
    const app = await HttpApp.start('Express', RoundingModule, (nest) => nest.useGlobalPipes(pipe));
    try {
      await use(app);
    } finally {
      await app.stop();
    }
  }

  it('conversions to a number round', () => {
    expect([Number(ID), +ID, parseInt(ID, 10)]).toEqual([ROUNDED, ROUNDED, ROUNDED]);
    expect(String(BigInt(ID))).toBe(ID);
  });

  it('pipes and decorators that are not for IDs round them, or accept what is not an ID', () =>
    withApp(new ValidationPipe({ transform: true }), async (app) => {
      for (const path of ['parsed', 'typed']) {
        expect((await app.get(`/${path}/${ID}`)).body).toEqual({ id: ROUNDED });
      }
      expect((await app.post('/converted', `{"id":"${ID}"}`)).body).toEqual({ id: ROUNDED });
      for (const id of [ID, '-1', '1.5']) {
        expect((await app.post('/numeric', `{"id":"${id}"}`)).body).toEqual({ id });
      }
      expect(await app.post('/numeric', `{"id":${ID}}`)).toMatchObject({ status: 400 });
    }));

  it('enableImplicitConversion hides the rounding', () =>
    withApp(
      new ValidationPipe({ transform: true, transformOptions: { enableImplicitConversion: true } }),
      async (app) => {
        expect(await app.post('/numeric', `{"id":${ID}}`)).toMatchObject({
          status: 201,
          body: { id: String(ROUNDED) },
        });
      },
    ));
});

@Controller()
class BigintController {
  @Get('order')
  order(): unknown {
    return { id: BigInt(ID), lines: [{ orderId: BigInt(ID), weight: 3.5 }], note: null };
  }
}

@Module({ controllers: [BigintController] })
class BigintModule {}

describe('an app whose ORM returns bigints', () => {
  it.each(PLATFORMS)('sends them as strings on %s, and fails without bigintsAsText()', async (platform) => {
    const app = await HttpApp.start(platform, BigintModule, bigintsAsText);
    const unconfigured = await HttpApp.start(platform, BigintModule);
    try {
      expect((await app.get('/order')).body).toEqual({
        id: ID,
        lines: [{ orderId: ID, weight: 3.5 }],
        note: null,
      });
      expect((await unconfigured.get('/order')).status).toBe(500);
    } finally {
      await app.stop();
      await unconfigured.stop();
    }
  });

  it('keeps the replacer of an Express app', async () => {
    const own = (key: string, value: unknown): unknown => (key === 'note' ? 'replaced' : value);
    const app = await HttpApp.start('Express', BigintModule, (nest) => {
      const express: { set(setting: string, value: unknown): void } = nest.getHttpAdapter().getInstance();
      express.set('json replacer', own);
      bigintsAsText(nest);
    });
    try {
      expect((await app.get('/order')).body).toMatchObject({ id: ID, note: 'replaced' });
    } finally {
      await app.stop();
    }
  });

  it('converts them in JSON that is no response', () => {
    const order = { id: BigInt(ID), lines: [{ orderId: BigInt(ID) }] };
    expect(JSON.parse(JSON.stringify(order, bigintAsText))).toEqual({ id: ID, lines: [{ orderId: ID }] });
  });

  it('refuses what is no app of Express or Fastify', () => {
    const adapter = { getType: () => 'koa', getInstance: () => ({}) };
    for (const app of [{}, { getHttpAdapter: () => adapter }])
      expect(() => bigintsAsText(app as never)).toThrow(InvalidOptionError);
  });
});

describe('a frontend', () => {
  it('sorts IDs by time, which sort() does not', async () => {
    const compareIds = await code.run<(a: string, b: string) => number>('compare-ids.ts', 'compareIds');
    const ids = ['10', ID, '9', '1000000000000000000', '9', '0'];
    const byNumber = [...ids].sort((a, b) => Number(BigInt(a) - BigInt(b)));
    expect([...ids].sort(compareIds)).toEqual(byNumber);
    expect([...ids].sort()).not.toEqual(byNumber);
  });

  it('shows the time of an ID', async () => {
    const createdAt = await code.run<(id: string) => Date>('created-at.ts', 'createdAt');
    expect(createdAt(ID)).toEqual(new Date(MADE_AT));
  });

  it('gets the time of an ID with an object whose getter is exposed', async () => {
    const createdAt = await code.run<(id: string) => Date>('created-at.ts', 'createdAt');
    class Invoice {
      readonly id = ID;

      @Expose()
      get createdAt(): Date {
        return createdAt(this.id);
      }
    }
    expect(instanceToPlain(new Invoice())).toEqual({ id: ID, createdAt: new Date(MADE_AT) });
  });
});

describe('GraphQL, code-first', () => {
  const refused = (graphqlCode: string): object => ({
    errors: [{ extensions: { code: graphqlCode, snowflakeCode: 'SNOWFLAKE_INVALID_ID' } }],
  });
  let app: HttpApp;

  beforeAll(async () => {
    await code.import('order.type.ts');
    const OrdersResolver = await code.run<Type>('orders.resolver.ts', 'OrdersResolver');
    @Module({
      imports: [
        SnowflakeModule.forRoot({ store: staticLeaseStore({ workerId: 7 }) }),
        GraphQLModule.forRoot<ApolloDriverConfig>({
          driver: ApolloDriver,
          autoSchemaFile: true,
          stopOnApplicationShutdown: true,
        }),
      ],
      providers: [OrdersResolver, { provide: APP_FILTER, useClass: SnowflakeExceptionFilter }],
    })
    class AppModule {}
    app = await HttpApp.start('Express', AppModule);
  });
  afterAll(() => app?.stop());

  async function ask(query: string, variables = '{}'): Promise<unknown> {
    const json = `{"query":${JSON.stringify(query)},"variables":${variables}}`;
    return (await app.post('/graphql', json)).body;
  }

  it('accepts and returns IDs as strings', async () => {
    expect(await ask(`mutation { createOrder(productIds: ["${ID}"]) { id productIds } }`)).toEqual({
      data: { createOrder: { id: expect.stringMatching(/^\d{17,19}$/), productIds: [ID] } },
    });
    const query = 'query ($id: SnowflakeID!) { order(id: $id) { id } }';
    expect(await ask(query, `{"id":"${ID}"}`)).toEqual({ data: { order: { id: ID } } });
  });

  it('refuses numbers with the codes of the page', async () => {
    const query = 'query ($id: SnowflakeID!) { order(id: $id) { id } }';
    expect(await ask(query, `{"id":${ID}}`)).toMatchObject(refused('BAD_USER_INPUT'));
    expect(await ask(`{ order(id: ${ID}) { id } }`)).toMatchObject(refused('GRAPHQL_VALIDATION_FAILED'));
  });

  it('reports that no ID can be generated, with the codes of the page', async () => {
    const error = new LeaseExhaustedError(7, new Date());
    jest.spyOn(app.app.get(SnowflakeIdMaker), 'nextId').mockImplementation(() => {
      throw error;
    });
    expect(await ask('mutation { createOrder(productIds: []) { id } }')).toMatchObject({
      errors: [{ extensions: { code: 'SERVICE_UNAVAILABLE', snowflakeCode: error.code } }],
    });
  });
});

testThatAllHaveRun(code);
