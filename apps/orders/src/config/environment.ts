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
    // Only digits become a number: a blank would be 0, and as a worker ID that of another process.
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

/** The environment variables of this backend. One that is unset or empty takes its default. */
export class Environment {
  @IsIn(['development', 'test', 'production'])
  readonly NODE_ENV: 'development' | 'test' | 'production' = 'development';

  /** TCP port of the HTTP server; 0 takes any free one. */
  @IsWholeNumber(0, 65_535)
  readonly PORT: number = 3000;

  /** The SQLite file that is used as long as there is no DATABASE_URL; its directory is made on demand. */
  @IsString()
  readonly SQLITE_PATH: string = 'data/orders.sqlite';

  /** Switches from SQLite to a database server. */
  @IsOptional()
  @Matches(/^(postgres|postgresql|mysql|mariadb):\/\/./, {
    message:
      'DATABASE_URL must begin with postgres://, mysql:// or mariadb://; for SQLite leave it out and set SQLITE_PATH',
  })
  readonly DATABASE_URL?: string;

  /** Switches from worker IDs leased in the database to worker IDs leased in Redis. */
  @IsOptional()
  @Matches(/^rediss?:\/\/./, { message: 'REDIS_URL must begin with redis:// or rediss://' })
  readonly REDIS_URL?: string;

  /** Processes that write to one database share one namespace. */
  @IsString()
  readonly SNOWFLAKE_NAMESPACE: string = 'orders';

  /** Switches from leased worker IDs to this one, if there is no Redis. No two processes may have the same. */
  @IsOptional()
  @IsWholeNumber(0, 1023)
  readonly WORKER_ID?: number;

  /** How long a statement may wait for a lock, in milliseconds; MySQL and MariaDB round it up to whole seconds. */
  @IsWholeNumber(1_000, 600_000)
  readonly DATABASE_LOCK_TIMEOUT_MS: number = 5_000;

  /** How long the process lives on after SIGTERM or SIGINT, in milliseconds. */
  @IsWholeNumber(1_000, 3_600_000)
  readonly SHUTDOWN_GRACE_MS: number = 10_000;

  /** Requests that one client may send per RATE_LIMIT_WINDOW_MS to this process; 0 sets no limit. */
  @IsWholeNumber(0, 100_000)
  readonly RATE_LIMIT_REQUESTS: number = 600;

  /** The time over which RATE_LIMIT_REQUESTS are counted, in milliseconds. */
  @IsWholeNumber(1_000, 86_400_000)
  readonly RATE_LIMIT_WINDOW_MS: number = 60_000;

  /** How many proxies stand between a client and this process; they are trusted to name the client's address. */
  @IsWholeNumber(0, 10)
  readonly TRUST_PROXY_HOPS: number = 0;

  /** Size of the largest request body, in bytes. */
  @IsWholeNumber(1_024, 10_485_760)
  readonly BODY_LIMIT_BYTES: number = 102_400;

  /** Whether /docs and /docs-json are served; by default they are, except under NODE_ENV=production. */
  @IsOptional()
  @IsTrueOrFalse()
  readonly API_DOCS?: boolean;

  /** Whether /health shows addresses, worker ID and errors to everybody who asks. The log has them in any case. */
  @IsTrueOrFalse()
  readonly HEALTH_DETAILS: boolean = false;
}

/** The environment holds something that this backend cannot start with. */
export class EnvironmentError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`Cannot start: ${problems.join('. ')}.`);
    this.name = EnvironmentError.name;
  }
}

/**
 * Reads and validates the environment. Values never show up in messages: a URL may hold a password.
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
