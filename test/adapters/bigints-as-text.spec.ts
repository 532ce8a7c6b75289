import { Controller, Get, Module } from '@nestjs/common';
import { InvalidOptionError } from 'nestjs-snowflake';
import { bigintAsText, bigintsAsText } from 'nestjs-snowflake/http';
import { HttpApp, PLATFORMS } from './http-apps.js';

const ID = '382475217496248322';

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
