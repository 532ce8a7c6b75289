import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Compiles what tests start as processes of their own, for child.ts. With hooks for TypeScript instead, one that imports TypeORM
 * takes twice as long to start. The folder is in the repository, so that they find its packages.
 */
export function compileChildren(): void {
  mkdirSync(join(ROOT, 'dist'), { recursive: true });
  const folder = mkdtempSync(join(ROOT, 'dist/children-'));
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  const project = join(ROOT, 'test/tsconfig.children.json');
  execFileSync(process.execPath, [compiler, '-p', project, '--outDir', folder], { stdio: 'inherit' });
  process.env.TEST_CHILDREN = folder;
}

export function removeCompiledChildren(): void {
  const { TEST_CHILDREN: folder } = process.env;
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
}
