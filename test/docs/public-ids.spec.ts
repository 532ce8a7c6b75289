import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { Module, type Type, ValidationPipe } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { SnowflakeModule, staticLeaseStore } from 'nestjs-snowflake';
import * as core from 'nestjs-snowflake/core';
import { ParseSnowflakeIdPipe } from 'nestjs-snowflake/http';
import { obfuscatingCodec } from 'nestjs-snowflake/obfuscation';
import type { PublicIdDecorator } from 'nestjs-snowflake/validation';
import type { z } from 'zod';
import { type Answer, HttpApp, PLATFORMS } from '../adapters/http-apps.js';
import { cleanUpAfterEach } from '../support/clean-up.js';
import type { CodeProject } from './code-project.js';
import { codeIn } from './markdown.js';
import { PageCode, testThatAllHaveRun } from './page-code.js';

const ID = '382475217496248322';
const LONGEST = (2n ** 63n - 1n).toString();
const CUSTOMER = 'cus_0SFjugjHF10';
const ORDER = 'ord_0SFjugjHF10';
/** NIST published it for its samples. */
const NIST_KEY = '2b7e151628aed2a6abf7158809cf4f3cef4359d8d580aa4f7f036d6f04fc6a94';

const code = new PageCode('docs/guides/public-ids.md');

interface Order {
  readonly id: string;
  readonly customerId: string;
}

/** Starts an app around the module of the page. */
function start(ordersModule: Type, platform: 'Express' | 'Fastify' = 'Express'): Promise<HttpApp> {
  @Module({ imports: [SnowflakeModule.forRoot({ store: staticLeaseStore({ workerId: 7 }) }), ordersModule] })
  class AppModule {}
  return HttpApp.start(platform, AppModule);
}

const createOrder = async (app: HttpApp, customerId: unknown): Promise<Answer> =>
  app.post('/orders', JSON.stringify({ customerId }));

describe.each(PLATFORMS)('the app of the page on public IDs on %s', (platform) => {
  let app: HttpApp;
  beforeAll(async () => {
    for (const file of ['public-ids.ts', 'order.dto.ts', 'orders.controller.ts']) await code.import(file);
    app = await start(await code.run<Type>('orders.module.ts', 'OrdersModule'), platform);
  });
  afterAll(() => app?.stop());

  it('reads and writes public IDs in a body and a path', async () => {
    const created = await createOrder(app, CUSTOMER);
    const order = { id: expect.stringMatching(/^ord_\w{11}$/) as string, customerId: CUSTOMER };
    expect(created).toMatchObject({ status: 201, body: order });
    const { id } = created.body as Order;
    expect(await app.get(`/orders/${id}`)).toMatchObject({ status: 200, body: { id, customerId: CUSTOMER } });
  });

  it('refuses plain IDs, numbers and IDs of another kind', async () => {
    const refused = expect.stringMatching(/^customerId is not a valid ID: it /) as string;
    for (const value of [ID, ORDER, Number(ID), 'cus_0SFjugjHF1', '', null]) {
      expect(await createOrder(app, value)).toMatchObject({ status: 400, body: { message: [refused] } });
    }
    const message = expect.stringMatching(/^id is not a valid ID: it /) as string;
    for (const id of [ID, CUSTOMER, 'ord_']) {
      expect(await app.get(`/orders/${id}`)).toMatchObject({ status: 400, body: { message } });
    }
  });
});

describe('the code of the page on public IDs', () => {
  it('reads public IDs with zod', async () => {
    const orderId = await code.run<z.ZodType<string>>('order-id.zod.ts', 'orderId');
    expect(orderId.parse(ORDER)).toBe(ID);
    for (const value of [ID, Number(ID), CUSTOMER, null, undefined]) {
      expect(orderId.safeParse(value).error?.issues).toMatchObject([
        { message: expect.stringContaining('is not a valid ID') },
      ]);
    }
  });

  it('accepts both forms in a body and a path during a transition, and no other', async () => {
    const codec = await code.run<core.IdCodec<string>>('plain-or-public.ts', 'plainOrPublic');
    const PublicId = await code.run<PublicIdDecorator>('public-ids.ts', 'PublicId');
    class OrderIdDto {
      @PublicId('ord')
      @Transform(({ obj }) => codec.decode((obj as OrderIdDto).id), { toClassOnly: true })
      readonly id!: string;
    }
    const pipes = {
      body: new ValidationPipe({ transform: true }),
      path: new ParseSnowflakeIdPipe({ codec }),
    };
    const inBody = async (id: unknown): Promise<unknown> =>
      ((await pipes.body.transform({ id }, { type: 'body', metatype: OrderIdDto })) as OrderIdDto).id;
    const inPath = async (id: unknown): Promise<unknown> => pipes.path.transform(id, { type: 'param' });
    for (const read of [inBody, inPath]) {
      for (const id of [ID, ORDER]) expect(await read(id)).toBe(ID);
      for (const id of [CUSTOMER, `0${ID}`, 'ord_', 'abc', Number(ID), null]) {
        await expect(read(id)).rejects.toThrow(/not a (valid|Snowflake) ID/i);
      }
    }
    expect(codec.encode(ID)).toBe(ORDER);
  });

  it('encrypts IDs', async () => {
    process.env.ID_KEY_1 = randomBytes(32).toString('hex');
    const encrypted = await code.run<core.IdCodec<string>>('encrypted-ids.ts', 'encrypted');
    expect(encrypted.encode(ID)).toMatch(/^1\w{11}$/);
    expect(encrypted.decode(encrypted.encode(ID))).toBe(ID);
  });

  it('compares the forms by what the codecs do', () => {
    const rows = new Map(code.page.rowsUnder('Choose a form').map(([name, ...cells]) => [name, cells]));
    const encrypted = obfuscatingCodec({ keys: { 1: NIST_KEY }, current: 1 });
    const forms = [
      core.decimalCodec(),
      core.prefixedCodec('ord', core.base62Codec()),
      core.prefixedCodec('ord', encrypted),
    ];
    expect(rows.get('Example')?.flatMap(codeIn)).toEqual(forms.map((form) => form.encode(ID)));
    expect(rows.get('Sorts by time')?.map((cell) => cell === 'yes')).toEqual(
      forms.map(({ preservesOrder }) => preservesOrder),
    );
  });
});

describe('the key of encrypted IDs', () => {
  const cleanUp = cleanUpAfterEach();
  const [KEY_1, KEY_2] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')];
  const deploys = code.page.rowsUnder('Rotate the key').map((row) => row.slice(1, 3).flatMap(codeIn));

  /** The code of the page, with what its text says to write instead. */
  function encrypting(keys = "{ 1: key('ID_KEY_1') }", current = '1'): CodeProject {
    const changes: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
      'public-ids.ts': [
        [
          'import { publicIdDecorator }',
          "import { encrypted } from './encrypted-ids.js';\nimport { publicIdDecorator }",
        ],
        ['const text = base62Codec();', 'const text = encrypted;'],
      ],
      'encrypted-ids.ts': [
        ["{ 1: key('ID_KEY_1') }", keys],
        ['current: 1', `current: ${current}`],
      ],
    };
    return code.changed((text, file) =>
      (changes[file] ?? []).reduce((before, [part, instead]) => {
        expect(before).toContain(part);
        return before.replace(part, instead);
      }, text),
    );
  }

  async function startWith(keys?: string, current?: string): Promise<HttpApp> {
    Object.assign(process.env, { ID_KEY_1: KEY_1, ID_KEY_2: KEY_2 });
    const app = await start(await encrypting(keys, current).run<Type>('orders.module.ts', 'OrdersModule'));
    cleanUp(() => app.stop());
    return app;
  }
  function customerUnder(version: 1 | 2): string {
    const keys = { [version]: version === 1 ? KEY_1 : KEY_2 };
    return core.prefixedCodec('cus', obfuscatingCodec({ keys, current: version })).encode(ID);
  }

  it('encrypts the IDs of a body and a path', async () => {
    const app = await startWith();
    const customerId = customerUnder(1);
    const created = await createOrder(app, customerId);
    const { id } = created.body as Order;
    expect(created).toMatchObject({ status: 201, body: { customerId } });
    expect(id).toMatch(/^ord_1\w{11}$/);
    expect(await app.get(`/orders/${id}`)).toMatchObject({ status: 200, body: { id, customerId } });
    expect(await createOrder(app, CUSTOMER)).toMatchObject({ status: 400 });
  });

  it('changes without an error for clients until the old key is removed', async () => {
    expect(deploys).toHaveLength(3);
    const seen: object[] = [];
    for (const [keys, current] of deploys) {
      const app = await startWith(keys, current);
      const old = await createOrder(app, customerUnder(1));
      const recent = await createOrder(app, customerUnder(2));
      const written = (recent.body as Order).customerId;
      seen.push({ old: old.status, recent: recent.status, writes: written.charAt('cus_'.length) });
      await app.stop();
    }
    expect(seen).toEqual([
      { old: 201, recent: 201, writes: '1' },
      { old: 201, recent: 201, writes: '2' },
      { old: 400, recent: 201, writes: '2' },
    ]);
  });

  it('must be set when the app loads', async () => {
    delete process.env.ID_KEY_1;
    await expect(encrypting().import('orders.module.ts')).rejects.toThrow('ID_KEY_1');
  });
});

/** Runs the first column of the table as code, with a key that NIST published for its samples. */
const CODECS: Readonly<Record<string, core.IdCodec<string> | core.IdCodec<Uint8Array>>> = {
  'decimalCodec()': core.decimalCodec(),
  'sortableDecimalCodec()': core.sortableDecimalCodec(),
  'hexCodec()': core.hexCodec(),
  'base32Codec()': core.base32Codec(),
  'base36Codec()': core.base36Codec(),
  'base62Codec()': core.base62Codec(),
  "prefixedCodec('ord')": core.prefixedCodec('ord'),
  'readableCodec(ids.layout)': core.readableCodec(new core.BitLayout()),
  'uuidCodec()': core.uuidCodec(),
  'bytesCodec()': core.bytesCodec(),
  'obfuscatingCodec({ keys, current })': obfuscatingCodec({
    keys: { 1: NIST_KEY },
    current: 1,
  }),
};

describe('the table of codecs', () => {
  const [table] = code.page.tablesUnder('Codecs');
  const id = codeIn(table?.columns[1] ?? '')[0] ?? '';
  const rows = (table?.rows ?? []).map(([codec = '', text = '']) => ({
    code: codeIn(codec)[0] ?? '',
    text: codeIn(text)[0],
  }));
  const [unordered = [], [varying] = []] = ['Order', 'Length'].map((fact) =>
    codeIn(new RegExp(`\\*\\*${fact}:.*`).exec(code.page.under('Codecs').prose)?.[0] ?? ''),
  );

  it('lists every codec once, and no other', () => {
    expect(rows.map((row) => row.code).sort()).toEqual(Object.keys(CODECS).sort());
    const makers = rows.map((row) => row.code.replace(/\(.*/, ''));
    expect(makers.sort()).toEqual(
      [...Object.keys(core).filter((name) => name.endsWith('Codec')), 'obfuscatingCodec'].sort(),
    );
  });

  it.each(rows)('has the text, the order and the length of $code', ({ code: name, text }) => {
    const codec = CODECS[name];
    const encoded = codec?.encode(id);
    expect(typeof encoded === 'string' ? encoded : undefined).toBe(text);
    const maker = name.replace(/\(.*/, '()');
    expect(codec?.preservesOrder).toBe(!unordered.includes(maker));
    const lengths = [codec?.encode(0n).length, codec?.encode(LONGEST).length];
    expect([...new Set(lengths)]).toEqual(maker === varying ? [1, 19] : [expect.any(Number)]);
  });
});

it('the page names every member of a codec', () => {
  const named = codeIn(code.page.under('Codecs').prose).map((each) => each.replace(/\(.*/, ''));
  expect(named).toEqual(expect.arrayContaining(Object.keys(core.hexCodec())));
});

testThatAllHaveRun(code);
