import libsql from 'libsql';
import { InvalidOptionError } from '../core/errors/input-errors.js';
import { prepareDatabase } from './prepare-database.js';

const BIG = '9007199254740993';

describe('prepareDatabase [promise: exact-keys]', () => {
  let database: InstanceType<typeof libsql>;

  beforeEach(() => {
    database = new libsql(':memory:');
    database.exec(
      `CREATE TABLE t (small INTEGER, big INTEGER, real REAL, text TEXT, blob BLOB, none INTEGER)`,
    );
    database.exec(
      `INSERT INTO t VALUES (1, ${BIG}, 1.5, '7', x'00ff', NULL), (-2, -${BIG}, 2.5, '8', x'01', NULL)`,
    );
  });
  afterEach(() => database.close());

  const FIRST = { small: 1, big: BIG, real: 1.5, text: '7', none: null };
  const SECOND = { small: -2, big: `-${BIG}`, real: 2.5, text: '8', none: null };

  it('returns exactly what is rounded without it', () => {
    const read = () => (database.prepare('SELECT big FROM t').get() as { big: unknown }).big;
    expect(String(read())).toBe('9007199254740992');

    prepareDatabase(database);

    expect(read()).toBe(BIG);
  });

  it('reads other integers as numbers where they are exact, else as decimal strings', () => {
    prepareDatabase(database);
    const query = database.prepare('SELECT * FROM t ORDER BY small DESC');

    expect(query.all()).toMatchObject([FIRST, SECOND]);
    expect(query.get()).toMatchObject(FIRST);
    expect([...query.iterate()]).toMatchObject([FIRST, SECOND]);
    expect(Buffer.from((query.get() as { blob: Uint8Array }).blob)).toEqual(Buffer.from([0, 255]));
  });

  it('reads a column declared bigint as strings, whatever it holds and wherever it is read through', () => {
    database.exec('CREATE TABLE ids (id BIGINT, parent bigint, n INTEGER)');
    database.exec(`INSERT INTO ids VALUES (1, ${BIG}, 5), (2, NULL, ${BIG})`);
    database.exec('CREATE VIEW pairs AS SELECT id, n FROM ids');
    prepareDatabase(database);
    const first = (sql: string): unknown => database.prepare(sql).get();

    expect(first('SELECT * FROM ids')).toMatchObject({ id: '1', parent: BIG, n: 5 });
    expect(first('SELECT id AS "o_id", n AS "o_n" FROM ids o ORDER BY id DESC')).toMatchObject({
      o_id: '2',
      o_n: BIG,
    });
    expect(first('SELECT a.id, b.parent FROM ids a JOIN ids b ON a.id = b.id')).toMatchObject({
      id: '1',
      parent: BIG,
    });
    expect(first('SELECT id FROM pairs')).toMatchObject({ id: '1' });
    expect(first('SELECT MAX(id) AS id, COUNT(*) AS n FROM ids')).toMatchObject({ id: 2, n: 2 });
    expect(database.prepare('SELECT n, id FROM ids').raw().get()).toEqual([5, '1']);
    expect(database.prepare('SELECT id FROM ids').pluck().all()).toEqual(['1', '2']);
    expect(database.prepare('SELECT id FROM ids WHERE id = 9').get()).toBeUndefined();
  });

  it('serves rows as arrays, and single columns', () => {
    prepareDatabase(database);
    const query = () => database.prepare('SELECT big, small FROM t ORDER BY small DESC');

    expect(query().raw().all()).toEqual([
      [BIG, 1],
      [`-${BIG}`, -2],
    ]);
    expect(query().raw().get()).toEqual([BIG, 1]);
    expect(query().pluck().all()).toEqual([BIG, `-${BIG}`]);
  });

  it('returns counts of changes and pragmas as numbers', () => {
    prepareDatabase(database);

    expect(database.prepare('INSERT INTO t (small) VALUES (?)').run(3)).toMatchObject({
      changes: 1,
      lastInsertRowid: 3,
    });
    expect(database.pragma('foreign_keys')).toEqual([{ foreign_keys: expect.any(Number) }]);
  });

  it('goes up to the ends of 64 bits', () => {
    prepareDatabase(database);

    const ends = database.prepare('SELECT 9223372036854775807 AS high, -9223372036854775808 AS low').get();

    expect(ends).toMatchObject({ high: '9223372036854775807', low: '-9223372036854775808' });
  });

  it('takes parameters: none, one, a null alone, several, an array, by name', () => {
    prepareDatabase(database);
    const count = (condition: string) => database.prepare(`SELECT count(*) AS n FROM t WHERE ${condition}`);

    expect(count('true').get()).toMatchObject({ n: 2 });
    expect(count('big = ?').get(BIG)).toMatchObject({ n: 1 });
    expect(count('small IS ?').get(null)).toMatchObject({ n: 0 });
    expect(count('none IS ?').all(null)).toMatchObject([{ n: 2 }]);
    expect(count('small = ? AND big = ?').get(1, BigInt(BIG))).toMatchObject({ n: 1 });
    expect(count('small = ? AND big = ?').get([1, BigInt(BIG)])).toMatchObject({ n: 1 });
    expect(count('small = @small').get({ small: 1 })).toMatchObject({ n: 1 });
  });

  it.each([undefined, {}, { prepare: () => undefined }])('refuses the database %o', (other) => {
    expect(() => prepareDatabase(other as never)).toThrow(InvalidOptionError);
    expect(() => prepareDatabase(other as never)).toThrow('better-sqlite3');
  });
});
