import { join } from 'node:path';
import ts from 'typescript';
import { ROOT } from './markdown.js';

/** The settings of the root `tsconfig.json`, under which the library's entry points lead to its sources. */
export function compilerOptions(): ts.CompilerOptions {
  const path = join(ROOT, 'tsconfig.json');
  const { config } = ts.readConfigFile(path, ts.sys.readFile) as { config: unknown };
  return ts.parseJsonConfigFileContent({ ...(config as object), files: [] }, ts.sys, ROOT).options;
}
