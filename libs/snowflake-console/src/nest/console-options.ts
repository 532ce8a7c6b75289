import type { CanActivate, ExecutionContext, Type } from '@nestjs/common';
import { InvalidOptionError } from 'nestjs-snowflake/core';
import { requireOptions, requireWholeNumber } from 'nestjs-snowflake/kit';
import type { GenerateBounds } from '../http/subject.js';

/**
 * Who may use the console: a guard class, a function, or `'development-only'`. That lets everybody in, at localhost and at IP
 * addresses, and refuses to start with `NODE_ENV=production`.
 */
export type ConsoleAuthorization =
  Type<CanActivate> | ((context: ExecutionContext) => boolean | Promise<boolean>) | 'development-only';

/** How the console makes IDs. */
export interface ConsoleGenerateOptions {
  /**
   * The most IDs of one request.
   * Bounds: 1 to 10,000.
   *
   * @defaultValue `1000`
   */
  readonly maxCount?: number;
  /**
   * The most requests of any minute, of all users of this process together.
   * Bounds: 1 to 600.
   *
   * @defaultValue `30`
   */
  readonly perMinute?: number;
}

/** Options of {@link SnowflakeConsoleModule}. */
export interface SnowflakeConsoleOptions {
  /**
   * Who may use the console. It is asked before every answer, also for the files of the page.
   *
   * @defaultValue none; it is compulsory
   */
  readonly authorize?: ConsoleAuthorization;
  /**
   * Whether the console makes IDs with the makers of the app, and how many. `false` switches it off.
   *
   * @defaultValue `true`
   */
  readonly generate?: boolean | ConsoleGenerateOptions;
  /**
   * How many pages can watch the workers at a time.
   * Bounds: 1 to 1,000.
   *
   * @defaultValue `20`
   */
  readonly maxListeners?: number;
}

/** Options that must be known before the others. */
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
  /** Absent if the console makes no IDs. */
  readonly generate?: GenerateBounds;
  readonly maxListeners: number;
}

const DEFAULT_PATH = 'snowflake';
const OPTIONS = { authorize: true, generate: true, maxListeners: true } satisfies Record<
  keyof SnowflakeConsoleOptions,
  true
>;
const GENERATE_OPTIONS = { maxCount: true, perMinute: true } satisfies Record<
  keyof ConsoleGenerateOptions,
  true
>;
const PATH = /^[\w.~-]+(\/[\w.~-]+)*$/;
const AUTHORIZE_REMEDY =
  "Pass a guard class, a function (context) => boolean, or 'development-only' on a developer's machine.";

/** Checks the options and fills in the defaults. @throws InvalidOptionError */
export function checkConsoleOptions(
  options: SnowflakeConsoleOptions,
  nodeEnv: string | undefined,
): ConsoleSettings {
  requireOptions('options', options, OPTIONS);
  const { authorize, generate = true, maxListeners = 20 } = options;
  return {
    authorize: requireAuthorization(authorize, nodeEnv),
    ...(generate !== false && { generate: generateBounds(generate) }),
    maxListeners: requireWholeNumber('maxListeners', maxListeners, 1, 1000),
  };
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
    "Use a path of the console's own, such as '/snowflake'.",
  );
}

function requireAuthorization(authorize: unknown, nodeEnv: string | undefined): ConsoleAuthorization {
  if (authorize === 'development-only') {
    if (nodeEnv !== 'production') return authorize;
    const remedy = 'Pass a guard class or a function that knows your administrators.';
    throw new InvalidOptionError('authorize', authorize, 'refuses NODE_ENV=production', remedy);
  }
  if (typeof authorize === 'function') return authorize as ConsoleAuthorization;
  const problem = authorize === undefined ? 'is missing' : 'does not say who may use the console';
  throw new InvalidOptionError('authorize', typeof authorize, problem, AUTHORIZE_REMEDY);
}

function generateBounds(generate: true | ConsoleGenerateOptions): GenerateBounds {
  if (generate === true) return generateBounds({});
  requireOptions('generate', generate, GENERATE_OPTIONS);
  const { maxCount = 1000, perMinute = 30 } = generate;
  return {
    maxCount: requireWholeNumber('generate.maxCount', maxCount, 1, 10_000),
    perMinute: requireWholeNumber('generate.perMinute', perMinute, 1, 600),
  };
}
