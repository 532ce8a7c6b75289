import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { InvalidOptionError } from 'nestjs-snowflake/core';
import { compilerOf } from 'nestjs-snowflake/internal/setup/host/app-compiler';
import { Source } from 'nestjs-snowflake/internal/setup/source';
import type { TypeScript } from 'nestjs-snowflake/internal/setup/typescript';
import { diskFiles } from '../setup/disk-files.js';
import { type Examination, type Finding, finding } from './findings.js';
import { KeyKinds } from './key-kinds.js';
import { numberIdsIn, type NumberKind } from './number-ids.js';

/** More places say no more. */
const MAX_PLACES = 20;

const REMEDIES: Readonly<Record<NumberKind, string>> = {
  pipe: 'Declare a string, and use ParseSnowflakeIdPipe of nestjs-snowflake/http.',
  validator: 'Declare a string with @IsSnowflakeId() of nestjs-snowflake/validation.',
  openapi:
    'Use @ApiSnowflakeId(), @ApiSnowflakeIdParam() or @ApiSnowflakeIdQuery() of nestjs-snowflake/swagger.',
  conversion: 'Keep the ID as a string. Use BigInt() if you need to calculate with it.',
  type: 'Declare a string.',
};

/**
 * Finds the places in the sources of an app that convert Snowflake IDs to numbers. Reads their syntax trees with the TypeScript of the app, and
 * leaves out tests.
 *
 * @param folder value of `--code`
 * @param projectFolder the folder of the app's `package.json`
 * @throws InvalidOptionError if there is no such folder, or no TypeScript
 */
export function examineCode(folder: string, projectFolder: string): Examination {
  const root = resolve(projectFolder, folder);
  if (!statSync(root, { throwIfNoEntry: false })?.isDirectory())
    throw new InvalidOptionError(
      '--code',
      folder,
      'is not a folder',
      'Pass the folder of the sources, such as src.',
    );
  const compiler = compilerOf(projectFolder);
  if (!compiler) {
    const remedy = 'Run the doctor in the folder of the app, with its development dependencies.';
    throw new InvalidOptionError('--code', folder, 'needs TypeScript, which the app does not have', remedy);
  }
  const files = diskFiles(root);
  const sources = files
    .below('')
    .filter((path) => /\.[cm]?ts$/.test(path) && !/\.(spec|test|e2e-spec|d)\.[cm]?ts$/.test(path))
    .map(
      (path) =>
        new Source(compiler as TypeScript, `${folder.replace(/\/+$/, '')}/${path}`, files.read(path) ?? ''),
    );
  return {
    findings: findingsIn(sources),
    examined: [sources.length === 1 ? '1 source file' : `${sources.length} source files`],
  };
}

function findingsIn(sources: readonly Source[]): Finding[] {
  const kinds = new KeyKinds(sources);
  const places = new Map<NumberKind, string[]>();
  for (const source of sources) {
    for (const { kind, name, code, line } of numberIdsIn(source, kinds)) {
      const place = `${source.path}:${line} ${name} (${code})`;
      places.set(kind, [...(places.get(kind) ?? []), place]);
    }
  }
  return [...places].map(([kind, all]) => {
    const more = all.length > MAX_PLACES ? `, and ${all.length - MAX_PLACES} more` : '';
    const problem = `IDs become numbers, which are rounded above 2^53: ${all.slice(0, MAX_PLACES).join(', ')}${more}.`;
    return finding('ID_AS_NUMBER', problem, { remedy: REMEDIES[kind] });
  });
}
