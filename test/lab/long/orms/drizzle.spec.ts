import { join } from 'node:path';
import { Consumer, STEP_WITHIN_MS } from '../../consumers/consumer.js';
import { databaseFor } from '../../../support/servers/index.js';
import { packLibrary } from '../packaging/packed-library.js';

/** What run.mjs prints. */
interface Printed {
  readonly unbound: string;
  readonly withoutLease: string;
  readonly made: { readonly rows: number; readonly ours: number };
  readonly exactReferences: boolean;
  readonly found: boolean;
  readonly joined: boolean;
  /** Whether the nested ID was exact, or the code of its refusal. */
  readonly nested: boolean | string;
  readonly rounded?: string;
  readonly raw: boolean;
  readonly returned?: boolean;
  readonly failed?: string;
}

const VERSIONS = ['drizzle-orm', 'drizzle-orm-rc'] as const;
const DIALECTS = ['pg', 'mysql', 'sqlite'] as const;
const CASES = VERSIONS.flatMap((version) => DIALECTS.map((dialect) => [version, dialect] as const));

/** Relational queries of 1.0 need a database with LATERAL. MariaDB has none, and MySQL can't be installed here. */
const NO_LATERAL: unknown = expect.stringContaining('SQL syntax');

/** Before 1.0, the JSON that the database makes has rounded the ID when the column reads it. */
function nestedWith(version: string, dialect: string): unknown {
  if (version === 'drizzle-orm') return 'SNOWFLAKE_INVALID_ID';
  return dialect === 'mysql' ? NO_LATERAL : true;
}

let app: Consumer;

beforeAll(async () => {
  app = new Consumer('drizzle');
  const { path } = await packLibrary();
  await app.install(path);
}, STEP_WITHIN_MS);
afterAll(() => {
  app?.remove();
});

async function urlOf(dialect: (typeof DIALECTS)[number], name: string): Promise<string> {
  if (dialect === 'sqlite') return `file:${join(app.folder, `${name}.db`)}`;
  return databaseFor(dialect === 'pg' ? 'postgres' : 'mariadb', name);
}

async function run(
  version: string,
  dialect: (typeof DIALECTS)[number],
  ...careless: string[]
): Promise<Printed> {
  const url = await urlOf(dialect, ['drizzle', version, ...careless].join(' '));
  const { stdout } = await app.run(process.execPath, 'run.mjs', version, dialect, url, ...careless);
  return JSON.parse(stdout) as Printed;
}

describe('columns of Drizzle [promise: exact-keys]', () => {
  it.each(CASES)(
    'get IDs with %s on %s by every way that knows the default, and never a rounded one',
    async (version, dialect) => {
      expect(await run(version, dialect)).toEqual({
        unbound: 'SNOWFLAKE_UNBOUND_MAKER',
        withoutLease: 'SNOWFLAKE_NOT_READY',
        made: { rows: 502, ours: 502 },
        exactReferences: true,
        found: true,
        joined: true,
        nested: nestedWith(version, dialect),
        rounded: 'SNOWFLAKE_INVALID_ID',
        raw: true,
        ...(dialect === 'mysql' ? {} : { returned: true }),
      });
    },
    STEP_WITHIN_MS,
  );

  it.each(CASES)(
    'read rounded IDs with %s on %s if the type only makes text of what it gets (control)',
    async (version, dialect) => {
      const { nested, rounded } = await run(version, dialect, 'type');
      expect({ nested, rounded }).toEqual({
        nested: dialect === 'mysql' && version === 'drizzle-orm-rc' ? NO_LATERAL : false,
        rounded: undefined,
      });
    },
    STEP_WITHIN_MS,
  );

  it(
    'refuse what mysql2 rounds by default',
    async () => {
      expect((await run('drizzle-orm', 'mysql', 'driver')).failed).toBe('SNOWFLAKE_INVALID_ID');
    },
    STEP_WITHIN_MS,
  );

  it(
    'compile with both versions in all dialects',
    async () => {
      await expect(app.script('compile')).resolves.not.toContain('error');
    },
    STEP_WITHIN_MS,
  );
});
