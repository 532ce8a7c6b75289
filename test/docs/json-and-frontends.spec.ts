import 'reflect-metadata';
import { Module, ParseIntPipe, type Type, ValidationPipe } from '@nestjs/common';
import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import { APP_FILTER } from '@nestjs/core';
import { GraphQLModule } from '@nestjs/graphql';
import { Expose, instanceToPlain, plainToInstance, Type as ConvertTo } from 'class-transformer';
import { SnowflakeModule, staticLeaseStore } from 'nestjs-snowflake';
import { SnowflakeExceptionFilter } from 'nestjs-snowflake/http';
import { HttpApp } from '../adapters/http-apps.js';
import { PageCode, testThatAllHaveRun } from './page-code.js';

const ID = '382475217496248322';
const ROUNDED = 382475217496248300;
const MADE_AT = '2026-11-21T10:19:57.897Z';

const code = new PageCode('docs/guides/json-and-frontends.md');
const { page } = code;

describe('code that rounds', () => {
  it('JSON.parse rounds a number as the page shows', () => {
    const [first = ''] = page.blocksIn('js').map(({ text }) => text);
    const [, json = '', rounded = ''] = /JSON\.parse\('(.*)'\)\.id; \/\/ (\d+),/.exec(first) ?? [];
    expect(String((JSON.parse(json) as { id: number }).id)).toBe(rounded);
    expect(() => JSON.stringify({ id: 1n })).toThrow('Do not know how to serialize a BigInt');
  });

  it('conversions, pipes and decorators that are not for IDs round them', async () => {
    class ConvertedDto {
      @ConvertTo(() => Number)
      readonly id!: number;
    }
    expect([Number(ID), +ID, parseInt(ID, 10)]).toEqual([ROUNDED, ROUNDED, ROUNDED]);
    expect(String(BigInt(ID))).toBe(ID);
    for (const pipe of [new ParseIntPipe(), new ValidationPipe({ transform: true })]) {
      expect(await pipe.transform(ID, { type: 'param', data: 'id', metatype: Number })).toBe(ROUNDED);
    }
    expect(plainToInstance(ConvertedDto, { id: ID })).toEqual({ id: ROUNDED });
  });

  it('enableImplicitConversion lets a rounded number pass as a string', () => {
    class TextDto {
      @Expose()
      readonly id!: string;
    }
    const options = { enableImplicitConversion: true };
    expect(plainToInstance(TextDto, { id: Number(ID) }, options)).toEqual({ id: String(ROUNDED) });
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
  const QUERY = 'query ($id: SnowflakeID!) { order(id: $id) { id } }';
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
    expect(await ask(QUERY, `{"id":"${ID}"}`)).toEqual({ data: { order: { id: ID } } });
  });

  it('refuses numbers with the codes of the page', async () => {
    expect(await ask(QUERY, `{"id":${ID}}`)).toMatchObject(refused('BAD_USER_INPUT'));
    expect(await ask(`{ order(id: ${ID}) { id } }`)).toMatchObject(refused('GRAPHQL_VALIDATION_FAILED'));
  });
});

testThatAllHaveRun(code);
