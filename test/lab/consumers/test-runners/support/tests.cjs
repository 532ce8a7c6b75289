const assert = require('node:assert/strict');
const { Test } = require('@nestjs/testing');
const Database = require('libsql');
const { SnowflakeIdMaker, staticLeaseStore } = require('nestjs-snowflake');
const { fakeIdMaker, SnowflakeTestingModule } = require('nestjs-snowflake/testing');

/** The database that all test files share. It refuses an ID that another test has inserted. */
function insert(ids) {
  const database = new Database(process.env.DATABASE_FILE);
  database.exec('PRAGMA busy_timeout = 30000');
  database.exec('CREATE TABLE IF NOT EXISTS orders (id bigint PRIMARY KEY)');
  const insertion = database.prepare('INSERT INTO orders (id) VALUES (?)');
  // One transaction: each on its own would wait for the disk.
  try {
    database.exec('BEGIN IMMEDIATE');
    for (const id of ids) insertion.run(BigInt(id));
    database.exec('COMMIT');
  } finally {
    database.close();
  }
}

/** Declares the tests of a file. They are the same in every runner, and the IDs that they show must be too. */
exports.declareTests = ({ it, testFile, freeze, thaw, matchSnapshot }) => {
  const from = (start) => (process.env.WITHOUT_TEST_FILE ? { start } : { start, testFile });

  it('counts from its place in the block of the file', () => {
    const ids = fakeIdMaker(from(1)).nextIds(3);
    insert(ids);
    matchSnapshot(ids, 'file');
  });

  it('counts on in an app while the clock is frozen', async () => {
    freeze();
    try {
      const test = Test.createTestingModule({ imports: [SnowflakeTestingModule.forRoot(from(101))] });
      const app = await (await test.compile()).init();
      const ids = app.get(SnowflakeIdMaker).nextIds(3);
      await app.close();
      insert(ids);
      matchSnapshot(ids, 'app');
    } finally {
      thaw();
    }
  });

  it('needs no start for IDs that nobody looks at, even if every file freezes the clock', () => {
    freeze();
    try {
      insert([...fakeIdMaker().nextIds(200), ...fakeIdMaker().nextIds(200)]);
    } finally {
      thaw();
    }
  });

  it('repeats no ID of a fixed worker ID while the clock is frozen', async () => {
    freeze();
    try {
      const made = [];
      for (let turn = 0; turn < 3; turn += 1) {
        const ids = new SnowflakeIdMaker({ store: staticLeaseStore({ workerId: 7 }) });
        await ids.start();
        made.push(...ids.nextIds(5000));
        await ids.stop();
      }
      assert.equal(new Set(made).size, 15_000);
    } finally {
      thaw();
    }
  });
};
