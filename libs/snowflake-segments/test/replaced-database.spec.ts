import { type SegmentEvent, Segments, sqlSegmentStore } from 'nestjs-snowflake-segments';
import {
  type Kind,
  makeDatabase,
  type TestDatabase,
} from '../../../test/integration/sql-store/support/databases.js';

const TAG = 'order';
const STRIDE = 8;
const STEP = 10;

const PLACES: readonly (readonly [Kind, Kind, Kind])[] = [
  ['SQLite', 'SQLite', 'SQLite'],
  ['PostgreSQL', 'MariaDB', 'SQLite'],
  ['SQLite', 'PostgreSQL', 'MariaDB'],
];

const databases: TestDatabase[] = [];
const running = new Set<Segments>();

afterEach(async () => {
  await Promise.all([...running].map((each) => each.stop()));
  running.clear();
  await Promise.all(databases.splice(0).map((database) => database.remove()));
});

async function newDatabase(kind: Kind): Promise<TestDatabase> {
  const database = await makeDatabase(kind, 'replaced-database');
  databases.push(database);
  return database;
}

/** The app on a list of databases, those of `down` being unreachable. */
function appOn(list: readonly TestDatabase[], down: readonly TestDatabase[] = []): Segments {
  const dataSources = list.map((database) => () => {
    if (down.includes(database)) throw new Error('ECONNREFUSED');
    return database.options;
  });
  const segments = new Segments({
    store: sqlSegmentStore({ dataSources, stride: STRIDE, createTable: true }),
    tags: [TAG],
    step: STEP,
    callTimeoutMs: 20_000,
    readyTimeoutMs: 20_000,
    stopTimeoutMs: 0,
  });
  running.add(segments);
  return segments;
}

async function taken(segments: Segments, count: number): Promise<number[]> {
  const source = segments.source(TAG);
  const numbers: number[] = [];
  while (numbers.length < count) {
    await source.ready();
    numbers.push(source.next());
  }
  return numbers;
}

/** Runs the app once, and lets it crash: nothing is returned. */
async function run(segments: Segments, count: number): Promise<number[]> {
  const numbers = await taken(segments, count);
  running.delete(segments);
  await segments.stop();
  return numbers;
}

function failuresOf(segments: Segments): string[] {
  const codes: string[] = [];
  segments.subscribe((event: SegmentEvent) => {
    if (event.type === 'database-failed' && event.error.code === 'SNOWFLAKE_HISTORY_CHANGED')
      codes.push(Reflect.get(event.error, 'reason') as string);
  });
  return codes;
}

const repeatedIn = (numbers: readonly number[]): number => numbers.length - new Set(numbers).size;
const residuesIn = (numbers: readonly number[]): number[] =>
  [...new Set(numbers.map((number) => number % STRIDE))].toSorted();

/** Three databases, the last of which is far ahead, because the other two were down for a while. */
async function unevenlyUsed([first, second, third]: readonly [Kind, Kind, Kind]) {
  const [a, b, c] = [await newDatabase(first), await newDatabase(second), await newDatabase(third)];
  const issued = await run(appOn([a, b, c]), 40);
  issued.push(...(await run(appOn([a, b, c], [a, b]), 120)));
  return { a, b, c, issued };
}

describe.each(PLACES)('a store on %s, %s and %s [promise: segments]', (...kinds) => {
  it('takes no number from an empty database in the place of another one until an operator has resumed it', async () => {
    const { a, b, issued } = await unevenlyUsed(kinds);
    const empty = await newDatabase(kinds[2]);
    const app = appOn([a, b, empty]);
    const reasons = failuresOf(app);
    issued.push(...(await taken(app, 120)));
    expect(reasons).toEqual(['replaced']);
    issued.push(...(await run(appOn([a, b, empty], [a]), 120)));
    expect(repeatedIn(issued)).toBe(0);

    await app.resume({ [TAG]: Math.max(...issued, app.source(TAG).status().highest ?? 0) });
    const later = await taken(app, 120);
    expect(residuesIn(later.slice(-60))).toEqual([0, 1, 2]);
    issued.push(...later, ...(await taken(appOn([a, b, empty], [a, b]), 100)));
    expect(repeatedIn(issued)).toBe(0);
  });

  it('repeats numbers if the other databases forget which ones have served the tag (control)', async () => {
    const { a, b, issued } = await unevenlyUsed(kinds);
    const empty = await newDatabase(kinds[2]);
    for (const { admin } of [a, b])
      await admin.query("UPDATE snowflake_segment_state SET members = '' WHERE biz_tag <> ''");
    issued.push(...(await taken(appOn([a, b, empty]), 120)));
    expect(repeatedIn(issued)).toBeGreaterThan(0);
  });
});

describe('the list of databases', () => {
  const KINDS = ['SQLite', 'SQLite', 'SQLite'] as const;

  it('takes a new database at the end of the list into service, and none in the middle', async () => {
    const { a, b, c, issued } = await unevenlyUsed(KINDS);
    const [middle, last] = [await newDatabase('SQLite'), await newDatabase('SQLite')];
    issued.push(...(await run(appOn([a, b, c, last]), 160)));
    expect(residuesIn(issued)).toEqual([0, 1, 2, 3]);
    issued.push(...(await run(appOn([a, b, c, last], [a, c, last]), 120)));
    issued.push(...(await run(appOn([a, middle, b, c]), 120)));
    expect(residuesIn(issued)).toEqual([0, 1, 2, 3]);
    expect(repeatedIn(issued)).toBe(0);
  });

  it('refuses a database that has lost the row of the tag', async () => {
    const { a, b, c, issued } = await unevenlyUsed(KINDS);
    for (const table of ['snowflake_segment', 'snowflake_segment_state', 'snowflake_segment_claim'])
      await c.admin.query(`DELETE FROM ${table} WHERE biz_tag = '${TAG}'`);
    const app = appOn([a, b, c]);
    const reasons = failuresOf(app);
    issued.push(...(await taken(app, 120)));
    expect([reasons, repeatedIn(issued)]).toEqual([['replaced'], 0]);
  });

  it('takes a new database into service only when all others have stored it', async () => {
    const { a, b, c } = await unevenlyUsed(KINDS);
    const last = await newDatabase('SQLite');
    const whileOneIsDown = await run(appOn([a, b, c, last], [b]), 200);
    expect(residuesIn(whileOneIsDown)).toEqual([0, 2]);
    const numbers = await run(appOn([a, b, c, last]), 160);
    expect(residuesIn(numbers)).toEqual([0, 1, 2, 3]);
    expect(residuesIn(await run(appOn([a, b, c, last], [a, b, c]), 20))).toEqual([3]);
  });
});
