import { EnvironmentError, environmentIn } from '../../../shared/src/environment/environment.js';
import { ServerEnvironment } from '../../../shared/src/environment/server-environment.js';
import { Names, Switch, Text, TextLike, WholeNumber } from '../../../shared/src/environment/variables.js';

const INSTANCE = /^[\w.-]{1,64}$/;
/** Of namespaces and of tags. */
const NAME = /^[\w.:-]{1,128}$/;

/** The environment variables of the ID service. */
export class Environment extends ServerEnvironment {
  /** Differs from the port of the orders backend, so that both run on one machine. */
  override readonly PORT: number = 3100;

  /** Clients have tokens, and a limit per address would count all pods behind a gateway as one. */
  override readonly RATE_LIMIT_REQUESTS: number = 0;

  @WholeNumber(1, 65_535, 'TCP port of gRPC, without TLS. If unset, there is no gRPC.')
  readonly GRPC_PORT?: number;

  @Text(
    'a path',
    'JSON file with the tokens of the clients. The service applies changes within a second. If the file is missing, the service writes ' +
      'one with a random token. In production, it refuses to start instead.',
  )
  readonly TOKENS_FILE: string = 'data/tokens.json';

  @Text(
    'a path',
    'SQLite file for a single machine, used if DATABASE_URL and REDIS_URL are unset. Its directory is created on demand.',
  )
  readonly SQLITE_PATH: string = 'data/ids.sqlite';

  @TextLike(
    /^(postgres|postgresql|mysql|mariadb):\/\/./,
    'postgres://, mysql://, mariadb://',
    'Database for leases and segments, the same for all instances of the service.',
    '$property must start with postgres://, mysql:// or mariadb://; for SQLite, set SQLITE_PATH instead',
  )
  readonly DATABASE_URL?: string;

  @TextLike(
    /^rediss?:\/\/./,
    'redis://, rediss://',
    'Redis for leases, instead of the database. It holds no segments.',
    '$property must start with redis:// or rediss://',
  )
  readonly REDIS_URL?: string;

  @Names(
    INSTANCE,
    'names of up to 64 letters, digits, "_", "." and "-"',
    'ID makers for clients that request IDs. Each leases in the namespace of its name.',
  )
  readonly ID_INSTANCES: readonly string[] = ['default'];

  @Names(
    NAME,
    'names of up to 128 letters, digits, "_", ".", ":" and "-"',
    'Namespaces in which clients can lease worker IDs. A name that is also in ID_INSTANCES is one ID space: its IDs never repeat.',
  )
  readonly LEASE_NAMESPACES: readonly string[] = ['default'];

  @TextLike(
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/,
    'a time such as 2024-01-01T00:00:00Z',
    'Epoch of the ID makers. Never change it within a namespace. Clients that lease in the same namespace need the same epoch.',
  )
  readonly EPOCH: string = '2024-01-01T00:00:00Z';

  @Names(
    NAME,
    'names of up to 128 letters, digits, "_", ".", ":" and "-"',
    'Tags of segments for clients that request numbers. A new tag starts at 1.',
  )
  readonly SEGMENT_TAGS?: readonly string[];

  @TextLike(
    NAME,
    'a name of up to 128 letters, digits, "_", ".", ":" and "-"',
    "Name by which clients claim segments to issue their numbers themselves. If unset, they can't.",
  )
  readonly SEGMENT_NAMESPACE?: string;

  @Switch(
    'Whether to serve the addresses of a Leaf server too. Its clients send no token, so TOKENS_FILE needs a grant for anyone. ' +
      'Numbers do not continue those of a Leaf server.',
  )
  readonly LEAF_ADDRESSES: boolean = false;
}

/** Reads and validates the environment. @throws EnvironmentError that lists every problem */
export function readEnvironment(variables: NodeJS.ProcessEnv): Environment {
  const environment = environmentIn(variables, Environment);
  const { REDIS_URL, DATABASE_URL, SEGMENT_TAGS, SEGMENT_NAMESPACE } = environment;
  const hasSegments = SEGMENT_TAGS !== undefined || SEGMENT_NAMESPACE !== undefined;
  // A SQLite file for each instance of the service would repeat numbers.
  if (hasSegments && REDIS_URL !== undefined && DATABASE_URL === undefined)
    throw new EnvironmentError([
      'SEGMENT_TAGS and SEGMENT_NAMESPACE also need DATABASE_URL, because Redis holds no segments',
    ]);
  return environment;
}
