import { jest } from '@jest/globals';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { databaseFor } from '../../../support/servers/index.js';
import { GuideEntities, type Plan, plansOf, runStep, type Step } from '../../../docs/migration/plans.js';
import { Traffic } from './migration/traffic.js';

jest.setTimeout(240_000);

const entities = new GuideEntities();
const plans = plansOf(await entities.code());

/** Above it, a JavaScript number can't distinguish neighbors. Counted keys and numbers are far below. */
const LARGE = 2n ** 53n;

/** What went wrong in a migration; nothing, if all is well. */
interface Verdict {
  /** Operations that failed, and reads of something else than was written. */
  readonly failures: readonly string[];
  /** Orders that are missing, that refer to another customer than they should, or that should not exist. */
  readonly lost: readonly string[];
  /** Rows of versions without `@SnowflakeId()` that have keys among the Snowflake IDs, and the other way round. */
  readonly misplaced: readonly string[];
}

async function migrateUnderTraffic(plan: Plan): Promise<Verdict> {
  const options = { type: plan.kind, url: await databaseFor(plan.kind, 'live migration'), poolSize: 6 };
  const dataSource = await new DataSource(options as DataSourceOptions).initialize();
  const session = dataSource.createQueryRunner();
  const traffic = new Traffic(options as DataSourceOptions);
  try {
    for (const table of plan.tables) await dataSource.query(table);
    await traffic.deploy('old', plan.versions.old!);
    await traffic.flow(20);
    for (const step of plan.steps) {
      if ('deploy' in step) await traffic.deploy(step.deploy, plan.versions[step.deploy]!);
      else if ('retire' in step) await traffic.retire(step.retire);
      else await runStep(session, plan, step);
      await traffic.flow('deploy' in step || 'sql' in step ? 30 : 5);
    }
    await traffic.stop();
    return await verdictOn(traffic, plan, dataSource);
  } finally {
    await traffic.stop();
    await session.release();
    await dataSource.destroy();
  }
}

async function verdictOn(traffic: Traffic, plan: Plan, dataSource: DataSource): Promise<Verdict> {
  const rows: { reference: string; name: string | null }[] = await dataSource.query(
    `SELECT orders.reference, customers.name FROM orders
     LEFT JOIN customers ON customers.${plan.key} = orders.${plan.reference}`,
  );
  const found = new Map(rows.map(({ reference, name }) => [reference, name]));
  const references = new Set([...found.keys(), ...traffic.expected.keys()]);
  return {
    failures: traffic.failures,
    lost: [...references].filter((key) => found.get(key) !== traffic.expected.get(key)),
    misplaced: Object.entries(traffic.inserted).flatMap(([version, ids]) =>
      ids.filter((id) => /^\d+$/.test(id) && BigInt(id) > LARGE !== (version === 'snowflake')),
    ),
  };
}

describe.each(plans.map((plan) => [plan.name, plan] as const))(
  'live traffic in a migration %s [promise: exact-keys]',
  (_, plan) => {
    it('the migration fails no write and loses no reference', async () => {
      await expect(migrateUnderTraffic(plan)).resolves.toEqual({ failures: [], lost: [], misplaced: [] });
    });
  },
);

describe('the checks of the live migrations [promise: exact-keys]', () => {
  const named = (name: string): Plan => plans.find((plan) => plan.name === name)!;

  /** The plan with a step more after the one with this title. */
  function withSql(plan: Plan, after: string, sql: string, without?: RegExp): Plan {
    const steps = plan.steps.flatMap((step): Step[] =>
      'run' in step && step.run === after ? [step, { sql }] : [step],
    );
    return { ...plan, steps, without };
  }

  it.each([
    [
      'from auto-increment on PostgreSQL, of large tables',
      withSql(
        named('from auto-increment on PostgreSQL, of large tables'),
        'orders: prepare',
        'ALTER TABLE orders DISABLE TRIGGER orders_widen',
      ),
    ],
    [
      'from UUIDs on PostgreSQL',
      withSql(
        named('from UUIDs on PostgreSQL'),
        'orders: refer',
        'ALTER TABLE orders DISABLE TRIGGER orders_reference',
      ),
    ],
    [
      'from UUIDs on MariaDB',
      withSql(
        named('from UUIDs on MariaDB'),
        'orders: refer',
        'DROP TRIGGER orders_reference_update',
        /DROP TRIGGER orders_reference_update/,
      ),
    ],
  ])('detects references that are lost %s without the trigger (control)', async (_, plan) => {
    const { lost } = await migrateUnderTraffic(plan);
    expect(lost).not.toEqual([]);
  });

  it('detects that MariaDB counts up from a Snowflake ID without the triggers (control)', async () => {
    const plan = { ...named('from auto-increment on MariaDB'), without: /(CREATE|DROP) TRIGGER/ };
    const { misplaced } = await migrateUnderTraffic(plan);
    expect(misplaced).not.toEqual([]);
  });

  it.each(['PostgreSQL', 'MariaDB'])(
    'detects rounded IDs on %s without the bridge version (control)',
    async (database) => {
      const plan = named(`from auto-increment on ${database}`);
      const steps = plan.steps.flatMap((step): Step[] => {
        if ('deploy' in step && step.deploy === 'bridge') return [];
        if ('retire' in step) return step.retire === 'old' ? [] : [{ retire: 'old' }];
        return [step];
      });
      const { failures } = await migrateUnderTraffic({ ...plan, steps });
      expect(failures).not.toEqual([]);
    },
  );
});
