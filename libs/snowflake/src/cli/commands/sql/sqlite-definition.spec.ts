import { widenedDefinition } from './sqlite-definition.js';

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
