import libsql from 'libsql';
import { DataSource } from 'typeorm';

/** Packages whose classes this library must not change, because the app and other libraries rely on them. */
const PACKAGES = ['typeorm', '@nestjs/common', '@nestjs/core', '@nestjs/typeorm', 'ioredis'];

/** The members of the classes that the packages export, as `package Class.prototype.member`. */
async function membersOfClasses(): Promise<Map<string, unknown>> {
  const members = new Map<string, unknown>();
  for (const name of PACKAGES) {
    const exported = (await import(name)) as Record<string, unknown>;
    for (const [key, Class] of Object.entries(exported)) {
      if (typeof Class !== 'function') continue;
      noteMembers(members, `${name} ${key}`, Class);
      noteMembers(members, `${name} ${key}.prototype`, Class.prototype);
    }
  }
  return members;
}

/** Compares functions only: some classes of Nest count in their static fields. */
function noteMembers(members: Map<string, unknown>, place: string, object: unknown): void {
  for (const [key, { value, get = value }] of Object.entries(
    Object.getOwnPropertyDescriptors(Object(object)),
  ))
    if (typeof get === 'function') members.set(`${place}.${key}`, get);
}

function changedSince(before: Map<string, unknown>, after: Map<string, unknown>): string[] {
  return [...after].filter(([place, value]) => !Object.is(before.get(place), value)).map(([place]) => place);
}

/** Methods of the class that an object has replaced by methods of its own. */
function replacedIn(object: object): string[] {
  const inherited: object = Object.getPrototypeOf(object);
  return Object.getOwnPropertyNames(object).filter(
    (key) => typeof Reflect.get(inherited, key) === 'function',
  );
}

describe('classes of other packages [promise: exact-keys]', () => {
  it('are as they were after an app with TypeORM has booted and written', async () => {
    const before = await membersOfClasses();
    // Loads the library, which must not change anything either.
    const { Invoice, invoicesApp, Series } = await import('./support/invoices-app.js');
    const app = await invoicesApp();
    const dataSource = app.get(DataSource);
    const queryRunner = dataSource.createQueryRunner();
    const saved = await app.get(Series).transaction(dataSource, (manager) => manager.save(new Invoice()));
    expect(saved).toEqual({ id: expect.stringMatching(/^\d+$/), number: 'INV-00001' });

    expect(changedSince(before, await membersOfClasses())).toEqual([]);
    const objects = [
      app,
      dataSource,
      dataSource.manager,
      dataSource.driver,
      queryRunner,
      queryRunner.manager,
    ];
    expect(objects.flatMap(replacedIn)).toEqual([]);
    await queryRunner.release();
    await app.close();
  });

  it('are seen to change (control)', async () => {
    const before = await membersOfClasses();
    const dataSource = new DataSource({ type: 'better-sqlite3', driver: libsql, database: ':memory:' });
    const { initialize } = DataSource.prototype;
    DataSource.prototype.initialize = () => Promise.resolve(dataSource);
    dataSource.destroy = () => Promise.resolve();
    const changed = changedSince(before, await membersOfClasses());
    DataSource.prototype.initialize = initialize;
    expect(changed).toContain('typeorm DataSource.prototype.initialize');
    expect(replacedIn(dataSource)).toEqual(['destroy']);
  });
});
