import { applyDecorators } from '@nestjs/common';
import { plainToInstance, Transform } from 'class-transformer';
import {
  IsBoolean,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Matches,
  Max,
  Min,
  validateSync,
} from 'class-validator';

function IsWholeNumber(min: number, max: number): PropertyDecorator {
  const message = `$property must be a whole number from ${min} to ${max}`;
  return applyDecorators(
    // Converts digits only: a blank would become 0, which could be another process's worker ID.
    Transform(({ value }: { value: unknown }) => (/^\d+$/.test(String(value)) ? Number(value) : value)),
    IsInt({ message }),
    Min(min, { message }),
    Max(max, { message }),
  );
}

function IsTrueOrFalse(): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }: { value: unknown }) =>
      value === 'true' ? true : value === 'false' ? false : value,
    ),
    IsBoolean({ message: '$property must be true or false' }),
  );
}

/** The environment variables of this backend. An unset or empty variable takes its default. */
export class Environment {
  @IsIn(['development', 'test', 'production'])
  readonly NODE_ENV: 'development' | 'test' | 'production' = 'development';

  /** TCP port of the HTTP server; 0 takes any free one. */
  @IsWholeNumber(0, 65_535)
  readonly PORT: number = 3000;

  /** The SQLite file, used if DATABASE_URL is unset; its directory is created on demand. */
  @IsString()
  readonly SQLITE_PATH: string = 'data/orders.sqlite';

  /** Switches from SQLite to a database server. */
  @IsOptional()
  @Matches(/^(postgres|postgresql|mysql|mariadb):\/\/./, {
    message:
      'DATABASE_URL must start with postgres://, mysql:// or mariadb://; for SQLite, set SQLITE_PATH instead',
  })
  readonly DATABASE_URL?: string;

  /** Switches from worker IDs leased in the database to worker IDs leased in Redis. */
  @IsOptional()
  @Matches(/^rediss?:\/\/./, { message: 'REDIS_URL must start with redis:// or rediss://' })
  readonly REDIS_URL?: string;

  /** Namespace of the leases. All processes that write to one database must use the same. */
  @IsString()
  readonly SNOWFLAKE_NAMESPACE: string = 'orders';

  /** A fixed worker ID instead of a lease; ignored if REDIS_URL is set. Each process must have a different one. */
  @IsOptional()
  @IsWholeNumber(0, 1023)
  readonly WORKER_ID?: number;

  /** How long a statement waits for a lock, in milliseconds; MySQL and MariaDB round it up to whole seconds. */
  @IsWholeNumber(1_000, 600_000)
  readonly DATABASE_LOCK_TIMEOUT_MS: number = 5_000;

  /** Maximum time from SIGTERM or SIGINT to the end of the process, in milliseconds. */
  @IsWholeNumber(1_000, 3_600_000)
  readonly SHUTDOWN_GRACE_MS: number = 10_000;

  /** Requests that one client may send per RATE_LIMIT_WINDOW_MS to this process; 0 sets no limit. */
  @IsWholeNumber(0, 100_000)
  readonly RATE_LIMIT_REQUESTS: number = 600;

  /** The window of the rate limit, in milliseconds. */
  @IsWholeNumber(1_000, 86_400_000)
  readonly RATE_LIMIT_WINDOW_MS: number = 60_000;

  /** Number of proxies in front of this process. They are trusted to report the client's address. */
  @IsWholeNumber(0, 10)
  readonly TRUST_PROXY_HOPS: number = 0;

  /** Maximum size of a request body, in bytes. */
  @IsWholeNumber(1_024, 10_485_760)
  readonly BODY_LIMIT_BYTES: number = 102_400;

  /**
   * Whether to serve /docs and /docs-json.
   *
   * @defaultValue true, or false if NODE_ENV is production
   */
  @IsOptional()
  @IsTrueOrFalse()
  readonly API_DOCS?: boolean;

  /**
   * Whether to serve the console to everybody.
   *
   * @defaultValue true, or false if NODE_ENV is production
   */
  @IsOptional()
  @IsTrueOrFalse()
  readonly CONSOLE?: boolean;

  /** Whether /health shows addresses, worker ID and errors to every client. The log always has them. */
  @IsTrueOrFalse()
  readonly HEALTH_DETAILS: boolean = false;
}

/** An environment variable has an invalid value. */
export class EnvironmentError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`Cannot start: ${problems.join('. ')}.`);
    this.name = EnvironmentError.name;
  }
}

/**
 * Reads and validates the environment. Messages never contain values, because a URL can contain a password.
 *
 * @throws EnvironmentError that lists every problem
 */
export function readEnvironment(variables: NodeJS.ProcessEnv): Environment {
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));
  const environment = plainToInstance(Environment, given, { exposeDefaultValues: true });
  const problems = new Set(
    validateSync(environment).flatMap(({ constraints = {} }) => Object.values(constraints)),
  );
  if (problems.size > 0) throw new EnvironmentError([...problems]);
  return environment;
}
