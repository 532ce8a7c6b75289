export type DatabaseName = 'postgres' | 'mariadb' | 'sqlite';

/**
 * What becomes of the ID, by write path. `filled`: it was ours, exact in the database and as the ORM reads it. `kept`:
 * it was the one that the caller gave, or that the row had. `refused`: by the column, which has no default.
 */
export type Outcomes = Readonly<Record<string, string>>;

const KYSELY = {
  'one row': 'filled',
  '500 rows': 'filled',
  'a row with an ID and one without': 'filled, kept',
  'a value that is an expression': 'filled',
  'a transaction': 'filled',
  'an upsert of an existing row': 'kept',
  'insert from select': 'refused',
  'default values': 'refused',
  'raw SQL': 'refused',
};

const KNEX = {
  'one row': 'filled',
  '500 rows': 'filled',
  batchInsert: 'filled',
  'rows whose ID is undefined or null': 'filled',
  'a row with an ID and one without': 'filled, kept',
  'a transaction': 'filled',
  'an upsert of an existing row': 'kept',
  'without withIds': 'refused',
  'rows of which one has an ID, without withIds': 'refused',
  'onConflict().ignore(), without withIds': 'refused',
  'insert from select': 'refused',
  'raw SQL': 'refused',
};

const SEQUELIZE = {
  create: 'filled',
  'build and save': 'filled',
  'bulkCreate of 500 rows': 'filled',
  findOrCreate: 'filled',
  'a transaction': 'filled',
  'create with an include': 'filled',
  'bulkCreate with updateOnDuplicate': 'kept',
  'upsert of an existing row': 'kept',
  'upsert of a new row': 'filled',
  'upsert of a row that a unique column finds': 'kept',
  'bulkCreate with ignoreDuplicates': 'kept, another ID returned',
  'create with a small ID': 'kept',
  'largest ID': 'kept, another ID returned',
  'largest ID, read as text': 'kept',
  'create with id: null': 'refused',
  'queryInterface.bulkInsert': 'refused',
  'raw SQL': 'refused',
};

/** By ORM and database, where the page has the recipe run. */
export const WRITE_PATHS: readonly (readonly [orm: string, database: DatabaseName, outcomes: Outcomes])[] = [
  [
    'kysely',
    'postgres',
    {
      ...KYSELY,
      returning: 'filled',
      'an insert in a WITH': 'filled',
      merge: 'refused',
      'reads as nested JSON': 'kept, another ID returned',
      'reads as nested JSON, cast to text': 'kept',
    },
  ],
  ['kysely', 'mariadb', KYSELY],
  ['kysely', 'sqlite', { ...KYSELY, returning: 'filled' }],
  ['knex', 'postgres', KNEX],
  // It is INSERT IGNORE there, which makes a warning of the error.
  ['knex', 'mariadb', { ...KNEX, 'onConflict().ignore(), without withIds': 'not ours: 0' }],
  ['knex', 'sqlite', KNEX],
  ['sequelize', 'postgres', SEQUELIZE],
  [
    'sequelize',
    'mariadb',
    { ...SEQUELIZE, 'upsert of a row that a unique column finds': 'kept, another ID returned' },
  ],
];

/** What Mongoose sends. MongoDB makes an ObjectId if there is no ID; the validator of the page refuses both. */
export const SENT_BY_MONGOOSE: Outcomes = {
  create: 'filled',
  'create with an ID': 'kept',
  insertMany: 'filled',
  'insertMany of one document': 'filled',
  'insertMany of lean documents': 'filled',
  'insertMany of lean documents with an ID': 'kept',
  'bulkWrite of insertOne': 'filled',
  'upsert by updateOne': 'filled',
  'upsert by findOneAndUpdate': 'filled',
  'upsert by bulkWrite of updateOne': 'filled',
  'upsert with setDefaultsOnInsert: false': 'no ID sent',
  'upsert by replaceOne': 'no ID sent',
  'upsert by findOneAndReplace': 'no ID sent',
  'upsert by bulkWrite of replaceOne': 'no ID sent',
  'insertOne of the collection': 'ObjectId',
};
