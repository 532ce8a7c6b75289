import { spawnChild, type TestChild } from '../support/child.js';
import { GuardedServers } from './support/guarded-servers.js';
import { LEAK_FORMS } from './support/leaks.js';
import { MISTAKES } from './support/mistakes.js';
import type { Ending, Order } from './support/orders.js';
import type { Credentials } from './support/places.js';
import { awkwardPassword, hexKey, plainPassword, type Secret } from './support/secret.js';
import { ECHO_FORM, REDIS_FORMS, SQL_FORMS } from './support/store-forms.js';

const WITHIN_MS = 90_000;

const right = awkwardPassword('the password');
const changed = awkwardPassword('the next password');
const wrong = awkwardPassword('the wrong password');
const plain = plainPassword('a plain password');
const sentinel = awkwardPassword("the Sentinel's password");
const wrongSentinel = awkwardPassword('the wrong password of the Sentinel');
const keys = [hexKey('a key'), hexKey('another key')] as const;
const SECRETS: readonly Secret[] = [right, changed, wrong, plain, sentinel, wrongSentinel, ...keys];

let servers: GuardedServers;
let child: TestChild;
let seen = { stdout: 0, stderr: 0 };

beforeAll(async () => {
  servers = await GuardedServers.start(right.text, sentinel.text);
  child = spawnChild(new URL('./children/teller.ts', import.meta.url), { keepsStdout: true });
}, 120_000);
afterAll(async () => {
  await child?.kill();
  await servers?.stop();
});

async function run(
  task: Order['task'],
  form: string,
  credentials: Partial<Credentials>,
): Promise<{ ending: Ending; output: string }> {
  const order: Order = {
    task,
    form,
    places: servers.places,
    credentials: { password: right.text, sentinelPassword: sentinel.text, ...credentials },
    keys: [keys[0].text, keys[1].text],
  };
  child.send(order);
  const isEnding = (message: unknown): message is { form: string; ending: Ending } =>
    typeof message === 'object' && message !== null && 'ending' in message;
  const { ending } = await child.next(isEnding, WITHIN_MS);
  return { ending, output: printedSince() };
}

function printedSince(): string {
  const { stdout, stderr } = child;
  const output = stdout.slice(seen.stdout) + stderr.slice(seen.stderr);
  seen = { stdout: stdout.length, stderr: stderr.length };
  return output;
}

function leaksIn(output: string): string[] {
  return SECRETS.flatMap((secret) => {
    const forms = secret.formsIn(output);
    return forms.length === 0 ? [] : [`${secret.name} (${forms.join()}): …${secret.surroundingsIn(output)}…`];
  });
}

describe('an app with a wrong password', () => {
  it.each([...REDIS_FORMS, ...SQL_FORMS, ECHO_FORM])('%s', async (form) => {
    const { ending, output } = await run('wrong', form, { password: wrong.text });
    console.log(form, ending, output.length);
    expect(leaksIn(output)).toEqual([]);
  });
});

describe('mistake', () => {
  it.each(Object.keys(MISTAKES))('%s', async (form) => {
    const { ending, output } = await run('mistake', form, { password: wrong.text });
    console.log(form, ending, output.length);
    expect(leaksIn(output)).toEqual([]);
  });
});

describe('the search', () => {
  it.each(LEAK_FORMS)('%s', async (form) => {
    const { ending, output } = await run('leak', form, { password: wrong.text });
    console.log(form, ending, output.length);
    expect(leaksIn(output)).not.toEqual([]);
  });
});
