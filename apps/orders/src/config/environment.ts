import { environmentIn } from '../../../shared/src/environment/environment.js';
import { ServerEnvironment } from '../../../shared/src/environment/server-environment.js';
import { Switch, Text, TextLike, WholeNumber } from '../../../shared/src/environment/variables.js';

/** The environment variables of this backend. */
export class Environment extends ServerEnvironment {
  @Text('a path', 'SQLite file, used if DATABASE_URL is unset. Its directory is created on demand.')
  readonly SQLITE_PATH: string = 'data/orders.sqlite';

  @TextLike(
    /^(postgres|postgresql|mysql|mariadb):\/\/./,
    'postgres://, mysql://, mariadb://',
    'Database server to use instead of SQLite.',
    '$property must start with postgres://, mysql:// or mariadb://; for SQLite, set SQLITE_PATH instead',
  )
  readonly DATABASE_URL?: string;

  @TextLike(
    /^rediss?:\/\/./,
    'redis://, rediss://',
    'Redis that leases worker IDs. If unset, the database leases them.',
    '$property must start with redis:// or rediss://',
  )
  readonly REDIS_URL?: string;

  @TextLike(
    /^https?:\/\/./,
    'http://, https://',
    'ID service that leases worker IDs. REDIS_URL and WORKER_ID are then ignored.',
    '$property must start with http:// or https://',
  )
  readonly ID_SERVICE_URL?: string;

  @Text('a token', 'Token for the ID service, with the scope leases.')
  readonly ID_SERVICE_TOKEN?: string;

  @Text('a name', 'Namespace of the leases; the same for all processes on one database.')
  readonly SNOWFLAKE_NAMESPACE: string = 'orders';

  @WholeNumber(
    0,
    1023,
    'Fixed worker ID instead of a lease; ignored with REDIS_URL. Different for each process.',
  )
  readonly WORKER_ID?: number;

  @WholeNumber(
    1_000,
    600_000,
    'Longest wait for a lock, in ms; then 503. MySQL and MariaDB round up to seconds.',
  )
  readonly DATABASE_LOCK_TIMEOUT_MS: number = 5_000;

  @Switch('Whether to serve /docs and /docs-json. Without it, they are served outside production.')
  readonly API_DOCS?: boolean;

  @Switch('Whether everybody can open the console. Without it, everybody can outside production.')
  readonly CONSOLE?: boolean;
}

/** Reads and validates the environment. @throws EnvironmentError that lists every problem */
export function readEnvironment(variables: NodeJS.ProcessEnv): Environment {
  return environmentIn(variables, Environment);
}
