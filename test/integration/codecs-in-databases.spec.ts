import {
  base32Codec,
  base36Codec,
  base62Codec,
  BitLayout,
  hexCodec,
  MAX_ID,
  prefixedCodec,
  readableCodec,
  sortableDecimalCodec,
  uuidCodec,
} from 'nestjs-snowflake/core';
import { KINDS, type Kind, makeDatabase, type TestDatabase } from './sql-store/support/databases.js';

/** What the README recommends, what ignores case, and what sorts as people do. */
const COLLATIONS: Readonly<Record<Kind, { bytes: string; ignoresCase: string; asPeopleSort: string }>> = {
  SQLite: { bytes: 'BINARY', ignoresCase: 'NOCASE', asPeopleSort: 'NOCASE' },
  PostgreSQL: { bytes: '"C"', ignoresCase: 'case_blind', asPeopleSort: '"en-x-icu"' },
  MariaDB: { bytes: 'ascii_bin', ignoresCase: 'ascii_general_ci', asPeopleSort: 'ascii_general_ci' },
};

const CODECS = {
  decimal: sortableDecimalCodec(),
  hex: hexCodec(),
  base32: base32Codec(),
  base36: base36Codec(),
  base62: base62Codec(),
  prefixed: prefixedCodec('ord'),
  readable: readableCodec(new BitLayout()),
  uuid: uuidCodec(),
};

/** Spread over all 63 bits, with neighbors. */
const IDS = Array.from({ length: 300 }, (_, index) => (MAX_ID / 300n) * BigInt(index) + BigInt(index % 2));

/** Two IDs whose texts differ in a capital letter alone. */
const TWINS = ['0SFjugjHF10', '0sFjugjHF10'];

describe.each(KINDS)('texts of IDs on %s', (kind) => {
  let database: TestDatabase;
  let tables = 0;
  const collations = COLLATIONS[kind];

  beforeAll(async () => {
    database = await makeDatabase(kind, 'codecs');
    if (kind !== 'PostgreSQL') return;
    await database.admin.query(
      `CREATE COLLATION case_blind (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`,
    );
  });
  afterAll(() => database?.remove());

  /** Makes a table with a unique column of this collation. */
  async function tableWith(collation: string): Promise<string> {
    const table = `texts_${tables++}`;
    await database.admin.query(`CREATE TABLE ${table} (id varchar(40) COLLATE ${collation} UNIQUE)`);
    return table;
  }

  const insert = (table: string, texts: readonly string[]): Promise<unknown> =>
    database.admin.query(`INSERT INTO ${table} VALUES ${texts.map((text) => `('${text}')`).join(', ')}`);

  async function inOrder(table: string): Promise<string[]> {
    const rows = (await database.admin.query(`SELECT id FROM ${table} ORDER BY id`)) as { id: string }[];
    return rows.map(({ id }) => id);
  }

  it.each(Object.entries(CODECS))(
    'sorts texts of IDs as the IDs where bytes are compared: %s',
    async (_, codec) => {
      const table = await tableWith(collations.bytes);
      const texts = IDS.map((id) => codec.encode(id));
      await insert(table, texts.toReversed());
      expect(await inOrder(table)).toEqual(texts);
    },
  );

  it('sorts a column of UUIDs as the IDs', async () => {
    const uuids = IDS.map((id) => uuidCodec().encode(id));
    // SQLite has no such type.
    const type = kind === 'SQLite' ? 'text' : 'uuid';
    await database.admin.query(`CREATE TABLE uuids (id ${type} PRIMARY KEY)`);
    await insert('uuids', uuids.toReversed());
    expect(await inOrder('uuids')).toEqual(uuids);
  });

  it('keeps two texts apart where bytes are compared, and not where case is ignored', async () => {
    expect(new Set(TWINS.map((text) => base62Codec().decode(text))).size).toBe(2);
    const exact = await tableWith(collations.bytes);
    await insert(exact, TWINS);
    expect(await inOrder(exact)).toEqual(TWINS);
    await expect(insert(await tableWith(collations.ignoresCase), TWINS)).rejects.toThrow();
  });

  it('sorts base 62 unlike the IDs where a collation sorts letters as people do (control)', async () => {
    const table = await tableWith(collations.asPeopleSort);
    const texts = IDS.map((id) => base62Codec().encode(id));
    await insert(table, texts);
    expect(await inOrder(table)).not.toEqual(texts);
  });
});
