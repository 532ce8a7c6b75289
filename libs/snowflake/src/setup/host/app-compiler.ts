import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Compiler, usableCompiler } from '../compiler.js';

/** Finds the TypeScript of the app in a folder: its own, or else that of its Nest CLI. Returns `undefined` if it has none. */
export function compilerOf(folder: string): Compiler | undefined {
  const app = createRequire(join(folder, 'package.json'));
  const own = usableCompiler([tried(() => app('typescript'))]);
  return (
    own ??
    usableCompiler([tried(() => createRequire(realpathSync(app.resolve('@nestjs/cli')))('typescript'))])
  );
}

function tried(load: () => unknown): unknown {
  try {
    return load();
  } catch {
    return undefined;
  }
}
