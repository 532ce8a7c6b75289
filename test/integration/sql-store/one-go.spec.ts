import libsql from 'libsql';
import { firstRequest, granted } from '../redis-store/requests.js';
import { makeDatabase } from './support/databases.js';
import { Stores } from './support/stores.js';

/** Turns of the event loop, counted for as long as the test runs. */
class Turns {
  count = 0;
  private isOver = false;

  begin(): void {
    const next = (): void => {
      this.count += 1;
      if (!this.isOver) setImmediate(next);
    };
    setImmediate(next);
  }

  end(): void {
    this.isOver = true;
  }
}

/** A statement is prepared at its first execution: the turn of the event loop at which that was. */
function watchedDriver(turns: Turns, preparedAt: Map<string, number>): object {
  return class extends libsql {
    constructor(path: string, options: ConstructorParameters<typeof libsql>[1]) {
      super(path, options);
      const prepare = this.prepare.bind(this);
      Reflect.set(this, 'prepare', (sql: string) => {
        preparedAt.set(sql, turns.count);
        return prepare(sql);
      });
    }
  };
}

it('holds the lock of a lease in SQLite within one turn of the event loop', async () => {
  const database = await makeDatabase('SQLite', 'one-go');
  const stores = new Stores();
  const turns = new Turns();
  const preparedAt = new Map<string, number>();
  try {
    const driver = watchedDriver(turns, preparedAt);
    const dataSource = { ...database.options, driver } as typeof database.options;
    turns.begin();
    const store = stores.open({ dataSource, namespace: 'shop', createTable: true });
    await granted(store.lease(firstRequest('holder')));
    // Control: turns are counted while the store works.
    expect(preparedAt.get('BEGIN IMMEDIATE')).toBeGreaterThan(0);
    expect(preparedAt.get('COMMIT')).toBe(preparedAt.get('BEGIN IMMEDIATE'));
  } finally {
    turns.end();
    await stores.close();
    await database.remove();
  }
});
