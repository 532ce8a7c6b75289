import { FOREIGN_CODE } from './support/foreign-code.js';
import { GuardedServers } from './support/guarded-servers.js';
import { LEAK_FORMS } from './support/leaks.js';
import { MISTAKES } from './support/mistakes.js';
import type { Order } from './support/orders.js';
import type { Credentials } from './support/places.js';
import { awkwardPassword, hexKey, plainPassword, type Secret } from '../../../security/support/secret.js';
import { ECHO_FORM, REDIS_FORMS, SQL_FORMS, SWAPPED_FORMS } from './support/store-forms.js';
import { PrinterChild, type Printed } from './support/printer-child.js';

const REJECTED = 'SNOWFLAKE_STORE_REJECTED';
/** The library itself logs through the logger of Nest, as text and as JSON. */
const LOG_LINES = [/ERROR \[ExceptionHandler\] /, /"level":"error".*"context":"ExceptionHandler"/];

/** The connection of a store, as it is printed with everything. */
const INSIDE = /the ID maker, inside: SnowflakeIdMaker \{[^]*(Redis|Own)Connection \{/;

/** Where the password may be written in another way than with special characters. */
const PLAIN_FORMS = ['redis url', 'postgres url', 'mariadb url', ECHO_FORM];

/** Where the user is an option of its own: a URL may hold a password in its place. */
const NAMED_USER = /options|sentinels|cluster$|cluster client|replication/;

const right = awkwardPassword('the password');
const next = awkwardPassword('the next password');
const wrong = awkwardPassword('a wrong password');
const wrongAndPlain = plainPassword('a wrong password without special characters');
const sentinel = awkwardPassword("the Sentinel's password");
const keys = [hexKey('a key'), hexKey('another key')] as const;
const SECRETS: readonly Secret[] = [right, next, wrong, wrongAndPlain, sentinel, ...keys];

let servers: GuardedServers;
let printer: PrinterChild;
let current = right;

beforeAll(async () => {
  servers = await GuardedServers.start(right.text, sentinel.text);
  printer = new PrinterChild();
}, 300_000);
afterAll(async () => {
  await printer?.stop();
  await servers?.stop();
});

function run(
  task: Order['task'],
  form: string,
  credentials: Partial<Credentials>,
  whenReady?: () => Promise<void>,
): Promise<Printed> {
  const known = { password: current.text, sentinelPassword: sentinel.text };
  const keyTexts = [keys[0].text, keys[1].text] as const;
  const { places } = servers;
  return printer.run(
    { task, form, places, credentials: { ...known, ...credentials }, keys: keyTexts },
    whenReady,
  );
}

/** The secrets that a text holds, in whatever form, and what stands around them. */
function leaksIn(output: string): string[] {
  return SECRETS.flatMap((secret) => {
    const forms = secret.formsIn(output);
    return forms.length === 0 ? [] : [`${secret.name} (${forms.join()}): ${secret.surroundingsIn(output)}`];
  });
}

/** A failed boot prints its error twice, and nothing of the secrets. */
function expectOutputWithoutSecrets({ ending, output }: Printed): void {
  for (const line of LOG_LINES) expect(output).toMatch(line);
  expect(output.split(ending.message.slice(0, 30)).length).toBeGreaterThan(4);
  expect(leaksIn(output)).toEqual([]);
}

describe('an app with a wrong password [promise: secrets]', () => {
  it.each([
    ...[...REDIS_FORMS, ...SQL_FORMS, ECHO_FORM].map((form) => [form, wrong.name, wrong.text]),
    ...PLAIN_FORMS.map((form) => [form, wrongAndPlain.name, wrongAndPlain.text]),
  ])(
    'refuses a wrong password at once, with a remedy and without the password: %s, %s',
    async (form = '', _, password) => {
      const ended = await run('wrong credentials', form, { password });
      const { code, message } = ended.ending;
      expect(code).toBe(REJECTED);
      expect(message).toMatch(/^\w+ namespace "[\w-]+" refuses this client/);
      expect(message).toMatch(
        form === ECHO_FORM ? /connect directly to Redis 5/ : /Correct the user name and password/,
      );
      expect(message.includes('(user "app")')).toBe(NAMED_USER.test(form));
      expect(ended.output).toContain('[cause]: ');
      expect(ended.output).toMatch(INSIDE);
      expectOutputWithoutSecrets(ended);
    },
  );

  it('names the Sentinels if they refused the password', async () => {
    const ended = await run('wrong credentials', 'redis sentinels', { sentinelPassword: wrong.text });
    expect(ended.ending).toMatchObject({
      code: REJECTED,
      message: expect.stringContaining('Correct sentinelUsername and sentinelPassword in options.'),
    });
    expectOutputWithoutSecrets(ended);
  });
});

describe('an app with a password in the place of the user', () => {
  it.each(
    SWAPPED_FORMS.flatMap((form) => [wrong, wrongAndPlain].map(({ name, text }) => [form, name, text])),
  )(
    'refuses a password in the place of the user without printing it: %s, %s',
    async (form = '', _, password) => {
      const ended = await run('wrong credentials', form, { password });
      expect(ended.ending.code).toBe(REJECTED);
      expect(ended.ending.message).toMatch(/refuses this client: .*Correct the user name and password/);
      expect(ended.output).toContain('[cause]: ');
      expectOutputWithoutSecrets(ended);
    },
  );
});

describe('an app whose password is changed while it runs [promise: secrets]', () => {
  it.each(['redis url', 'redis sentinels', 'redis cluster', 'postgres url', 'mariadb options'])(
    'shows no password before or after it changes: %s',
    async (form) => {
      const other = current === right ? next : right;
      const { ending, output } = await run('rotation', form, {}, async () => {
        await servers.changePassword(other.text);
        current = other;
      });
      expect(ending.code).toBe(REJECTED);
      expect(ending.message.includes('(user "app")')).toBe(NAMED_USER.test(form));
      expect(output).toContain("type: 'request-failed'");
      expect(output).toMatch(INSIDE);
      expect(output).toContain('WARN [SnowflakeModule] A call to the lease store failed');
      expect(leaksIn(output)).toEqual([]);
    },
  );
});

describe('an app that misplaces a secret', () => {
  it.each(Object.keys(MISTAKES))('refuses a misplaced secret without printing it: %s', async (form) => {
    const ended = await run('mistake', form, { password: wrong.text });
    expect(ended.ending.code).toBe('SNOWFLAKE_INVALID_OPTION');
    expectOutputWithoutSecrets(ended);
  });
});

describe('an app with foreign code whose error contains a password', () => {
  it.each(Object.keys(FOREIGN_CODE))('shows no password from an error of foreign code: %s', async (form) => {
    const ended = await run('foreign code', form, { password: wrong.text });
    expect(ended.ending.code).toMatch(/^SNOWFLAKE_(STORE_UNAVAILABLE|ACQUIRE_TIMEOUT)$/);
    expectOutputWithoutSecrets(ended);
  });
});

describe('the search for secrets [promise: secrets]', () => {
  it.each(LEAK_FORMS)(
    'the search finds a secret in what is printed of an error: %s (control)',
    async (form) => {
      const { output } = await run('leak', form, { password: wrong.text });
      expect(leaksIn(output)).toEqual([expect.stringContaining(wrong.name)]);
    },
  );

  it.each(SECRETS.map((secret) => [secret.name, secret] as const))(
    'the search finds every form of %s',
    (_, secret) => {
      const bytes = Buffer.from(secret.text);
      const forms = [
        secret.text,
        secret.text.slice(0, 9),
        encodeURIComponent(secret.text),
        JSON.stringify(secret.text),
        String(bytes.toJSON().data.join(', ')),
        bytes.toString('hex'),
        ...['', 'a', 'ab', 'app:'].map((before) => Buffer.from(before + secret.text).toString('base64url')),
      ];
      for (const form of forms) expect(leaksIn(`some ${form} text`)).not.toEqual([]);
      expect(leaksIn('no secret: 4711')).toEqual([]);
    },
  );
});
