import type { CanActivate, ExecutionContext, Type } from '@nestjs/common';
import { InvalidOptionError } from 'nestjs-snowflake/core';
import {
  checkedBy,
  checkedOptions,
  type OptionRules,
  unchecked,
  wholeNumber,
} from 'nestjs-snowflake/internal/core/options/option-rule';
import type { GenerateBounds } from '../http/subject.js';

/**
 * Who may use the console: a guard class, a function, or `'development-only'`. The latter admits everyone who opens the
 * console at localhost or at an IP address. With it, the app does not start if `NODE_ENV` is `production`.
 */
export type ConsoleAuthorization =
  | Type<CanActivate>
  | ((context: ExecutionContext) => boolean | Promise<boolean>)
  | 'development-only';

/** How the console generates IDs. */
export interface ConsoleGenerateOptions {
  /**
   * The maximum number of IDs per request.
   * Bounds: 1 to 10,000.
   *
   * @defaultValue `1000`
   */
  readonly maxCount?: number;
  /**
   * The maximum number of requests per minute to this process, by all users together.
   * Bounds: 1 to 600.
   *
   * @defaultValue `30`
   */
  readonly perMinute?: number;
}

/** Options of {@link SnowflakeConsoleModule}. */
export interface SnowflakeConsoleOptions {
  /**
   * Decides who may use the console. It runs before every request, including those for the files of the page.
   *
   * @defaultValue none; it is required
   */
  readonly authorize?: ConsoleAuthorization;
  /**
   * Whether the console generates IDs with the app's ID makers, and how many. `false` disables it.
   *
   * @defaultValue `true`
   */
  readonly generate?: boolean | ConsoleGenerateOptions;
  /**
   * How many pages can watch the workers at the same time.
   * Bounds: 1 to 1,000.
   *
   * @defaultValue `20`
   */
  readonly maxListeners?: number;
}

/** Options of `forRoot` and `forRootAsync` that must be known before the others. */
export interface SnowflakeConsoleExtras {
  /**
   * The path of the page, below the global prefix of the app.
   *
   * @defaultValue `'snowflake'`
   */
  readonly path?: string;
}

/** Checked {@link SnowflakeConsoleOptions}. */
export interface ConsoleSettings {
  readonly authorize: ConsoleAuthorization;
  /** `undefined` if the console generates no IDs. */
  readonly generate: GenerateBounds | undefined;
  readonly maxListeners: number;
}

const DEFAULT_PATH = 'snowflake';
const PATH = /^[\w.~-]+(\/[\w.~-]+)*$/;
const AUTHORIZE_REMEDY =
  "Pass a guard class, a function (context) => boolean, or 'development-only' on a developer's machine.";

export const GENERATE_OPTIONS = {
  maxCount: wholeNumber(1, 10_000).or(1000),
  perMinute: wholeNumber(1, 600).or(30),
} satisfies OptionRules<ConsoleGenerateOptions>;

export const CONSOLE_OPTIONS = {
  authorize: unchecked<ConsoleAuthorization | undefined>(),
  generate: checkedBy((option, given = true) =>
    given === false ? undefined : checkedOptions(option, given === true ? {} : given, GENERATE_OPTIONS),
  ),
  maxListeners: wholeNumber(1, 1000).or(20),
} satisfies OptionRules<SnowflakeConsoleOptions>;

/** Checks the options and fills in the defaults. @throws InvalidOptionError */
export function checkConsoleOptions(
  options: SnowflakeConsoleOptions,
  nodeEnv: string | undefined,
): ConsoleSettings {
  const checked = checkedOptions('options', options, CONSOLE_OPTIONS);
  return { ...checked, authorize: requireAuthorization(checked.authorize, nodeEnv) };
}

/** Returns the path without slashes around it. @throws InvalidOptionError */
export function checkPath(path: unknown = DEFAULT_PATH): string {
  const inner = typeof path === 'string' ? path.replace(/^\/+|\/+$/g, '') : '';
  if (PATH.test(inner)) return inner;
  const problem = 'must be a path of letters, digits, ".", "_", "~" and "-", with at least one segment';
  throw new InvalidOptionError(
    'path',
    path,
    problem,
    "Use a path that nothing else uses, such as '/snowflake'.",
  );
}

function requireAuthorization(authorize: unknown, nodeEnv: string | undefined): ConsoleAuthorization {
  if (authorize === 'development-only') {
    if (nodeEnv !== 'production') return authorize;
    const remedy = 'Pass a guard class or a function that admits your administrators.';
    throw new InvalidOptionError('authorize', authorize, 'is not allowed with NODE_ENV=production', remedy);
  }
  if (typeof authorize === 'function') return authorize as ConsoleAuthorization;
  const problem = authorize === undefined ? 'is missing' : 'is neither a guard class nor a function';
  throw new InvalidOptionError('authorize', typeof authorize, problem, AUTHORIZE_REMEDY);
}
