import type { DatabaseOptions } from '../database/database-options.js';
import { defineTables } from './tables.js';

const TABLES = defineTables({
  use: { holds: 'orders', otherwise: 'a file' },
  defaultName: 'shop',
  tables: {
    heads: { suffix: '_head', columns: 'id integer NOT NULL PRIMARY KEY', history: {} },
    rows: {
      suffix: '',
      columns: ({ hasOnUpdate }) =>
        `id integer, at timestamp${hasOnUpdate ? ' ON UPDATE CURRENT_TIMESTAMP' : ''}`,
      index: { suffix: '_by_at', columns: '(at, id)', isUnique: true },
    },
  },
  remedies: { missingTables: 'Create them.', missingRights: 'Grant them.' },
});

const on = (type: string, more: Partial<DatabaseOptions> = {}) => TABLES.in({ type, ...more });

describe('the declaration of tables', () => {
  it('creates a table and then its index on PostgreSQL and SQLite, in the order of the declaration', () => {
    for (const type of ['postgres', 'better-sqlite3']) {
      expect(on(type).tables.create).toEqual([
        'CREATE TABLE IF NOT EXISTS "shop_head" (id integer NOT NULL PRIMARY KEY)',
        'CREATE TABLE IF NOT EXISTS "shop" (id integer, at timestamp)',
        'CREATE UNIQUE INDEX IF NOT EXISTS "shop_by_at" ON "shop" (at, id)',
      ]);
    }
  });

  it('creates the index within its table on MySQL and MariaDB, which compare texts byte by byte', () => {
    for (const type of ['mysql', 'mariadb']) {
      const [, rows = '', ...rest] = on(type).tables.create;
      expect(rows).toContain('at timestamp ON UPDATE CURRENT_TIMESTAMP, UNIQUE KEY `shop_by_at` (at, id))');
      expect(rows).toMatch(/ENGINE=InnoDB .*utf8mb4_bin$/);
      expect(rest).toEqual([]);
    }
  });

  it('quotes the schema and the names, and lists the names as a catalogue does', () => {
    const { tables } = TABLES.in({ type: 'postgres', schema: 'a"b' }, 'orders');
    expect(tables.quoted).toEqual({ heads: '"a""b"."orders_head"', rows: '"a""b"."orders"' });
    expect(tables.names).toEqual(['orders_head', 'orders']);
    expect(tables.history).toEqual({ quoted: '"a""b"."orders_head"', schema: 'a"b', name: 'orders_head' });
  });

  it('probes every table, and drops them in the opposite order', () => {
    const { probe, drop } = on('postgres').tables;
    expect(probe).toHaveLength(2);
    expect(drop).toEqual(['DROP TABLE "shop"', 'DROP TABLE "shop_head"']);
  });

  it('accepts the default name and names that need no quotes, and refuses all others', () => {
    const check = (name: unknown): string => TABLES.nameRule.check('tableName', name);
    expect(check(undefined)).toBe('shop');
    expect(check('Shop_2')).toBe('Shop_2');
    for (const name of ['', '2shop', 'a-b', 'a.b', 'a"b', 'x'.repeat(41), null, 7])
      expect(() => check(name)).toThrow('tableName');
  });

  it('refuses a database that the library does not know', () => {
    expect(() => on('oracle')).toThrow('orders');
  });
});
