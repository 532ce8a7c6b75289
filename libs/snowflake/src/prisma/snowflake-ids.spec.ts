import { InvalidIdError, InvalidOptionError } from '../core/errors/input-errors.js';
import { NotReadyError } from '../core/errors/issuing-errors.js';
import { snowflakeIds, type PrismaIdMaker } from './snowflake-ids.js';
import type { SnowflakeModels } from './snowflake-models.js';

const MODELS: SnowflakeModels = {
  provider: 'sqlite',
  models: { Order: { table: 'orders', keys: { id: 'id' }, references: {}, relations: {} } },
};

/** An ID maker that gets its lease when it is asked to be ready. */
class LateMaker implements PrismaIdMaker {
  canIssue = false;
  asked = 0;

  nextBigInt(): bigint {
    if (!this.canIssue) throw new NotReadyError();
    return 5n;
  }

  ready(): Promise<void> {
    this.asked++;
    this.canIssue = true;
    return Promise.resolve();
  }
}

type Hook = (operation: object) => Promise<unknown>;

/** Extends a client that shows the hook of an extension instead of running it. */
function hookOf(ids: PrismaIdMaker): Hook {
  const $extends = (extension: unknown): unknown => extension;
  const extension: unknown = snowflakeIds(ids, MODELS)({ $extends, $on: () => undefined });
  return (extension as { query: { $allModels: { $allOperations: Hook } } }).query.$allModels.$allOperations;
}

const operationWith = (args: object, sent: unknown[]): object => ({
  model: 'Order',
  operation: 'create',
  args,
  query: (given: unknown) => Promise.resolve(sent.push(given)),
});

describe('the extension for Prisma', () => {
  it('sends the query before it returns if there is a lease', () => {
    const sent: unknown[] = [];
    void hookOf({ nextBigInt: () => 5n })(operationWith({ data: {} }, sent));
    expect(sent).toEqual([{ data: { id: 5n } }]);
  });

  it('waits for the lease only if it needs an ID', async () => {
    const ids = new LateMaker();
    const sent: unknown[] = [];
    await hookOf(ids)(operationWith({ data: { id: 1n } }, sent));
    await hookOf(ids)(operationWith({}, sent));
    expect(ids.asked).toBe(0);
    await hookOf(ids)(operationWith({ data: {} }, sent));
    expect(ids.asked).toBe(1);
    expect(sent).toEqual([{ data: { id: 1n } }, {}, { data: { id: 5n } }]);
  });

  it('waits for no lease if a key is refused', () => {
    const ids = new LateMaker();
    expect(() => hookOf(ids)(operationWith({ data: { id: 'x' } }, []))).toThrow(InvalidIdError);
    expect(ids.asked).toBe(0);
  });

  it('passes on why a maker that can not wait has no ID', () => {
    const nextBigInt = (): bigint => {
      throw new NotReadyError();
    };
    expect(() => hookOf({ nextBigInt })(operationWith({ data: {} }, []))).toThrow(NotReadyError);
  });

  it('refuses to be a later extension, whose client has no $on()', () => {
    const later = { $extends: () => undefined, $on: undefined };
    expect(() => snowflakeIds({ nextBigInt: () => 5n }, MODELS)(later)).toThrow(InvalidOptionError);
  });
});
