import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { transform } from '@swc/core';
import { entryPointsOf, PACKAGE_FOLDERS } from './entry-points.mjs';
import { swcOptions } from './swc-options.mjs';

const ROOT = new URL('../../', import.meta.url);
const SOURCES = new Map(PACKAGE_FOLDERS.flatMap(entryPointsOf).map(({ name, source }) => [name, source]));
const SOURCE_OF_PACKAGE = /\/libs\/[^/]+\/src\//;

/** Where an import of one package by another leads, if both are to run from their sources. */
function sourceOf(specifier) {
  const [, folder, module] = /^nestjs-(snowflake[\w-]*)\/internal\/(.+)$/.exec(specifier) ?? [];
  return module ? `libs/${folder}/src/${module}.ts` : SOURCES.get(specifier);
}

/**
 * TypeScript sources import each other with the extension `.js`, as they will be called after the build. The sources of a package
 * import those of another one, too: a script that imports both would have the other package twice.
 */
export async function resolve(specifier, context, nextResolve) {
  const source = SOURCE_OF_PACKAGE.test(context.parentURL ?? '') ? sourceOf(specifier) : undefined;
  if (source) return nextResolve(new URL(source, ROOT).href, context);
  try {
    return await nextResolve(specifier, context);
  } catch (error) {
    const isSource = context.parentURL?.endsWith('.ts') && /^\.{1,2}\/.*\.js$/.test(specifier);
    if (!isSource || error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    return nextResolve(specifier.replace(/\.js$/, '.ts'), context);
  }
}

export async function load(url, context, nextLoad) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return nextLoad(url, context);
  const filename = fileURLToPath(url);
  const { code } = await transform(await readFile(filename, 'utf8'), { ...swcOptions, filename });
  return { format: 'module', source: code, shortCircuit: true };
}
