import 'reflect-metadata';
import { BadRequestException, Controller, Get, Module, Param, Query } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import {
  AcquireTimeoutError,
  InvalidIdError,
  InvalidOptionError,
  SnowflakeModule,
  staticLeaseStore,
  StoppedError,
} from 'nestjs-snowflake';
import { prefixedCodec } from 'nestjs-snowflake/codecs';
import { ParseSnowflakeIdPipe, SnowflakeExceptionFilter } from 'nestjs-snowflake/http';
import { InvalidDateError } from 'nestjs-snowflake/series';
import { HttpApp, PLATFORMS } from './http-apps.js';

const ID = '382475217496248322';
const ERRORS: Record<string, () => Error> = {
  retryable: () => new AcquireTimeoutError(80_000, 'shop', 'redis://10.0.0.7 is away'),
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

describe.each(PLATFORMS)('the door for HTTP on %s', (platform) => {
  let app: HttpApp;
  beforeAll(async () => {
    app = await HttpApp.start(platform, AppModule);
  });
  afterAll(() => app?.stop());

  it('passes an ID of a path', async () => {
    expect(await app.get(`/one/${ID}`)).toMatchObject({ status: 200, body: { id: ID } });
  });

  it('responds with 400 and says what to send', async () => {
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

  it('reads lists in both forms, up to their bound', async () => {
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
  ])('responds to an error that is %s with %i', async (name, status, code) => {
    const answer = await app.get(`/errors/${name}`);
    expect(answer).toMatchObject({ status, body: { statusCode: status, code } });
    expect(answer.headers.get('retry-after')).toBe(status === 503 ? '1' : null);
    expect(JSON.stringify(answer.body)).not.toMatch(/10\.0\.0\.7|windowMs|issuedOn/);
  });
});

describe('ParseSnowflakeIdPipe', () => {
  it('throws what the app wants', () => {
    const pipe = new ParseSnowflakeIdPipe({ exceptionFactory: (message) => new TypeError(message) });
    expect(() => pipe.transform('x', { type: 'param', data: 'id' })).toThrow(TypeError);
    const ordinary = new ParseSnowflakeIdPipe();
    expect(() => ordinary.transform('x', { type: 'param', data: 'id' })).toThrow(BadRequestException);
  });

  it.each([
    [{ optional: 'yes' }, 'optional'],
    [{ separator: 'a' }, 'separator'],
    [{ maxItems: 0 }, 'maxItems'],
    [{ exceptionFactory: 1 }, 'exceptionFactory'],
    [{ lenient: true }, 'lenient'],
  ])('refuses %j', (options, option) => {
    expect(() => new ParseSnowflakeIdPipe(options as object)).toThrow(
      expect.objectContaining({ code: 'SNOWFLAKE_INVALID_OPTION', option }),
    );
  });
});
