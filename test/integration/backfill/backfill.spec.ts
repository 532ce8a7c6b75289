import { spawnChild, type TestChild } from '../../support/child.js';
import { databaseFor, startRedis } from '../../support/servers/index.js';

interface Batch {
  readonly batch: number;
  readonly ids: readonly string[];
}

const PROGRAM = new URL('./children/importing.ts', import.meta.url);
const servers: { stop(): Promise<void> }[] = [];
const children: TestChild[] = [];

const URLS = {
  redis: async () => {
    const server = await startRedis();
    servers.push(server);
    return server.url;
  },
  postgres: () => databaseFor('postgres', 'backfill'),
  mariadb: () => databaseFor('mariadb', 'backfill'),
};

afterEach(() => Promise.all(children.splice(0).map((child) => child.kill())));
afterAll(() => Promise.all(servers.map((server) => server.stop())));

function start(kind: string, url: string): TestChild {
  const child = spawnChild(PROGRAM, { args: [kind, url] });
  children.push(child);
  return child;
}

/** Resolves to the IDs of the batches of an import up to one, which is taken. */
async function idsUpTo(child: TestChild, last: number): Promise<string[]> {
  const made: string[] = [];
  for (let number = 0; number <= last; number += 1) {
    const isNext = (message: unknown): message is Batch => Reflect.get(Object(message), 'batch') === number;
    made.push(...(await child.next(isNext, 60_000)).ids);
  }
  return made;
}

describe.each(Object.keys(URLS) as (keyof typeof URLS)[])('imports on %s [promise: unique]', (kind) => {
  it('make no equal IDs at once, while others make IDs, and after a kill in the middle', async () => {
    const url = await URLS[kind]();
    const [first, second] = [start(kind, url), start(kind, url)];
    const [killed, other] = await Promise.all([idsUpTo(first, 10), idsUpTo(second, 5)]);
    await first.kill();
    const again = await idsUpTo(start(kind, url), 20);
    const rest = await second.next(
      (message): message is Batch => Reflect.get(Object(message), 'batch') === 20,
      60_000,
    );
    const made = [...killed, ...other, ...again, ...rest.ids];
    expect(new Set(made).size).toBe(made.length);
  });
});
