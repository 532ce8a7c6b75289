import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { InvalidOptionError } from 'nestjs-snowflake/core';
import { reasonOf } from '../frame/report-error.js';
import type { SnowflakeModuleOptions } from 'nestjs-snowflake';

/** Options as an app passes them to `SnowflakeModule.forRoot()`. */
export type AppOptions = SnowflakeModuleOptions & { readonly name?: string; readonly isGlobal?: boolean };

const OPTION = '--options';
const USUAL_EXPORT = 'snowflakeOptions';

/**
 * Loads the options of an app from a module: an object, or a function that returns or resolves to one.
 *
 * @param reference path of an ES module or a CommonJS module, from the current folder. `#name` after it selects an
 * export. Without a name it is `snowflakeOptions`, the default export, or the only export.
 * @throws InvalidOptionError if there is no such file or export, if the module throws, or if it exports something else
 */
export async function loadAppOptions(reference: string): Promise<AppOptions> {
  const [path = '', exportName] = reference.split('#', 2);
  const file = resolve(path);
  if (!(await stat(file).catch(() => undefined))?.isFile()) {
    throw new InvalidOptionError(
      OPTION,
      reference,
      'is not a file',
      'Pass the path of a built JavaScript file.',
    );
  }
  const exported = selectExport(reference, await load(reference, file), exportName);
  const options: unknown = await (typeof exported === 'function' ? call(reference, exported) : exported);
  if (typeof options === 'object' && options !== null && !Array.isArray(options))
    return options as AppOptions;
  throw new InvalidOptionError(
    OPTION,
    reference,
    'exports neither an object nor a function that returns one',
    'Export what you pass to SnowflakeModule.forRoot().',
  );
}

async function load(reference: string, file: string): Promise<Record<string, unknown>> {
  try {
    const module: Record<string, unknown> = await import(pathToFileURL(file).href);
    return withCommonJs(module);
  } catch (error) {
    const remedy = /\.[cm]?tsx?$/.test(file)
      ? 'Pass the JavaScript file that your build writes.'
      : 'Run the file with node to see why.';
    throw new InvalidOptionError(OPTION, reference, `can't be loaded: ${reasonOf(error)}`, remedy);
  }
}

/** Unwraps a CommonJS module, which arrives as the default export. If TypeScript built it, that object has a default export itself. */
function withCommonJs(module: Record<string, unknown>): Record<string, unknown> {
  const whole = Object(module.default);
  return '__esModule' in whole ? { ...whole } : { ...whole, ...module };
}

function selectExport(reference: string, exports: Record<string, unknown>, exportName?: string): unknown {
  const names = Object.keys(exports).filter((name) => name !== 'module.exports' && name !== '__esModule');
  const candidates =
    exportName === undefined ? [USUAL_EXPORT, 'default', ...(names.length === 1 ? names : [])] : [exportName];
  const name = candidates.find((each) => names.includes(each));
  if (name !== undefined) return exports[name];
  throw new InvalidOptionError(
    OPTION,
    reference,
    exportName === undefined ? 'has no default export' : `has no export ${exportName}`,
    `Add one of its exports to the path, such as app.js#${USUAL_EXPORT}. It has: ${names.join(', ') || 'none'}.`,
  );
}

async function call(reference: string, factory: Function): Promise<unknown> {
  try {
    return await factory();
  } catch (error) {
    throw new InvalidOptionError(
      OPTION,
      reference,
      `exports a function that throws: ${reasonOf(error)}`,
      'Export a function that needs no arguments, and run this command with the environment of the app.',
    );
  }
}
