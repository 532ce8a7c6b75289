import { mysqlMigration, type MysqlColumn } from './mysql-steps.js';
import { widenedDefinition } from './sqlite-definition.js';
import { connectedColumns } from './steps.js';

const columnAt = (path: string) => {
  const [table = '', name = ''] = path.split('.');
  return { table, name };
};
const reference = (from: string, to: string) => ({ from: columnAt(from), to: columnAt(to) });
const pathsOf = (columns: readonly { table: string; name: string }[]): string[] =>
  columns.map(({ table, name }) => `${table}.${name}`);

describe('connectedColumns()', () => {
  it('follows foreign keys over tables without an entity, cycles and self references, in both directions', () => {
    const found = connectedColumns(
      [columnAt('comment.userId')],
      [
        reference('log.commentOf', 'liked.userId'),
        reference('liked.userId', 'user.id'),
        reference('comment.userId', 'user.id'),
        reference('user.manager', 'user.id'),
        reference('user.best', 'comment.id'),
        reference('shop.country', 'country.code'),
      ],
    );
    expect(pathsOf(found).toSorted()).toEqual([
      'comment.userId',
      'liked.userId',
      'log.commentOf',
      'user.id',
      'user.manager',
    ]);
  });

  it('leaves the other columns of a composite foreign key as they are', () => {
    const composite = [
      reference('note.articleId', 'revision.articleId'),
      reference('note.number', 'revision.number'),
    ];
    expect(pathsOf(connectedColumns([columnAt('revision.articleId')], composite))).toEqual([
      'revision.articleId',
      'note.articleId',
    ]);
  });

  it('keeps the declared attributes of a column', () => {
    const key = { ...columnAt('user.id'), isKey: true };
    expect(connectedColumns([key], [reference('liked.userId', 'user.id')])[0]).toBe(key);
  });
});

const column = (name: string, definition: string, more: Partial<MysqlColumn> = {}): MysqlColumn => ({
  table: '`user`',
  name,
  definition,
  isKey: false,
  counter: '`user_counted`',
  hasCounter: false,
  ...more,
});
const key = (definition: string, more: Partial<MysqlColumn> = {}) =>
  column('id', definition, { ...more, isKey: true });

function planned(columns: readonly MysqlColumn[], isMariaDb = true) {
  const { widen, 'stop-counting': stop } = mysqlMigration({ isMariaDb, columns, foreignKeys: [] });
  const textOf = (statements: readonly string[]): string => statements.join(';\n');
  return {
    widen: textOf(widen.forward),
    narrow: textOf(widen.back),
    stop: textOf(stop.forward),
    count: textOf(stop.back),
  };
}

describe('the plan of a migration on MariaDB and MySQL', () => {
  it('keeps everything but the type of a column, whatever its comment says', () => {
    const comment = "COMMENT 'an int(11), not an AUTO_INCREMENT'";
    const { widen, narrow, stop } = planned([
      key(`int(10) unsigned NOT NULL AUTO_INCREMENT ${comment}`),
      column('kind', `smallint(6) DEFAULT 7 ${comment}`),
    ]);
    expect(widen).toContain(`MODIFY \`id\` bigint NOT NULL AUTO_INCREMENT ${comment}`);
    expect(widen).toContain(`MODIFY \`kind\` bigint DEFAULT 7 ${comment}`);
    expect(narrow).toContain(`MODIFY \`id\` int(10) unsigned NOT NULL AUTO_INCREMENT ${comment}`);
    expect(stop).toContain(`MODIFY \`id\` bigint NOT NULL ${comment}`);
  });

  it('gives a key that is already a bigint a sequence and a trigger, but no new type', () => {
    const { widen, narrow } = planned([key('bigint(20) NOT NULL AUTO_INCREMENT')]);
    expect(widen).toMatch(/CREATE SEQUENCE[^;]*`user_counted`[^]*CREATE TRIGGER/);
    expect(narrow).toMatch(/CHECK [^]*MAX\(`id`\)[^]*DROP TRIGGER/);
    expect(widen + narrow).not.toContain('MODIFY');
  });

  it('plans no step again if the trigger exists', () => {
    const { widen, narrow, stop } = planned([
      key('bigint(20) NOT NULL AUTO_INCREMENT', { hasCounter: true }),
    ]);
    expect([widen, narrow]).toEqual(['', '']);
    expect(stop).toContain('DROP TRIGGER IF EXISTS `user_counted`');
  });

  it('counts again only if the sequence still exists, which it reads before it changes anything', () => {
    const { count } = planned([key('bigint(20) NOT NULL AUTO_INCREMENT', { hasCounter: true })]);
    expect(count).toMatch(/^SET [^]*SELECT 1 FROM `user_counted` LIMIT 0;\nLOCK TABLES [^]*CREATE TRIGGER/);
  });

  it('leaves keys alone that the app does not generate', () => {
    const { widen, stop } = planned([column('id', 'int(11) NOT NULL AUTO_INCREMENT')]);
    expect(widen).not.toContain('SEQUENCE');
    expect(stop).toBe('');
  });

  it('uses nothing on MySQL that only MariaDB has', () => {
    const { widen, narrow, stop, count } = planned([key('int NOT NULL AUTO_INCREMENT')], false);
    const all = widen + narrow + stop + count;
    expect(all).not.toMatch(/SEQUENCE|NOWAIT|TRIGGER|IF EXISTS|IMMEDIATE|ALGORITHM|_counted/);
    expect(stop).toContain('MODIFY `id` bigint NOT NULL');
  });
});

const id = { name: 'id', type: 'INTEGER', isPrimary: true };

describe('widenedDefinition()', () => {
  it.each([
    [
      'CREATE TABLE orders (id INTEGER PRIMARY KEY AUTOINCREMENT, total numeric(10, 2))',
      'CREATE TABLE "new" (id bigint PRIMARY KEY NOT NULL, total numeric(10, 2))',
    ],
    [
      'CREATE TABLE "a (b"("ID" integer PRIMARY KEY NOT NULL) WITHOUT ROWID',
      'CREATE TABLE "new" ("ID" bigint PRIMARY KEY AUTOINCREMENT NOT NULL) WITHOUT ROWID'.replace(
        ' AUTOINCREMENT',
        '',
      ),
    ],
    [
      'CREATE TABLE a ([id] INTEGER NOT NULL, PRIMARY KEY("id" AUTOINCREMENT))',
      'CREATE TABLE "new" ([id] bigint NOT NULL, PRIMARY KEY("id"))',
    ],
    [
      "CREATE TABLE a (x text DEFAULT 'id INTEGER, (', -- the id, INTEGER\n `id` INTEGER PRIMARY KEY NOT NULL)",
      'CREATE TABLE "new" (x text DEFAULT \'id INTEGER, (\', -- the id, INTEGER\n `id` bigint PRIMARY KEY NOT NULL)',
    ],
  ])('makes of %s: %s', (definition, widened) => {
    expect(widenedDefinition(definition, '"new"', [id])).toBe(widened);
  });

  it('changes the type of a reference as it was declared, and leaves the key of the table counting', () => {
    const definition =
      'CREATE TABLE a (id integer PRIMARY KEY AUTOINCREMENT, b UNSIGNED  INT(11) REFERENCES b)';
    const narrow = [{ name: 'b', type: 'UNSIGNED INT(11)', isPrimary: false }];
    expect(widenedDefinition(definition, 'c', narrow)).toBe(
      'CREATE TABLE c (id integer PRIMARY KEY AUTOINCREMENT, b bigint REFERENCES b)',
    );
  });
});
