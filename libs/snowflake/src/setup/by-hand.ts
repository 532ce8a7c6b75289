import { IDS_MODULE, idsModuleLines } from './ids-module.js';
import type { LeasePlace } from './lease-place.js';
import { shutdownHooksLine } from './main-file.js';
import type { SetupRequest } from './settings.js';

const PLACES = {
  memory: { store: 'memory' },
  redis: { store: 'redis' },
  sql: { store: 'sql', over: 'url', dialect: 'postgres', variable: 'DATABASE_URL', schema: undefined },
} as const satisfies Record<string, LeasePlace>;
const DRIVERS = { memory: [], redis: ['ioredis@5'], sql: ['pg'] } as const;

/** Returns the lines that a user adds to an app that the setup can't edit. */
export function linesByHand({ store = 'redis', namespace, entity }: SetupRequest): string[] {
  const module = idsModuleLines({
    place: PLACES[store],
    namespace: namespace || 'shop',
    hasConfigModule: false,
    createsTables: false,
  });
  const tables = 'npx nestjs-snowflake-cli sql tables --dialect postgres   (or mariadb, mysql, sqlite)';
  return [
    'Install the packages:',
    `  npm install ${['nestjs-snowflake', ...DRIVERS[store]].join(' ')}`,
    'Create src/ids/ids.module.ts:',
    ...module.map((line) => (line === '' ? '' : `  ${line}`)),
    `Add ${IDS_MODULE} to the imports of the root module.`,
    'In src/main.ts, before app.listen():',
    `  ${shutdownHooksLine('app', true)};   (without the arguments before Nest 11.1.10)`,
    ...(store === 'sql' ? ['Create the tables that this prints:', `  ${tables}`] : []),
    ...(entity === undefined
      ? []
      : [`In ${entity}, from nestjs-snowflake/typeorm:`, '  @SnowflakeId() id!: string;']),
  ];
}
