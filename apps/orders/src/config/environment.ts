import { applyDecorators } from '@nestjs/common';
import { plainToInstance, Transform } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsString, Matches, Max, Min, validateSync } from 'class-validator';

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
