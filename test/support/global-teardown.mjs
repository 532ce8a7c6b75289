import { rmSync } from 'node:fs';
import process from 'node:process';

export default async function globalTeardown() {
  const { closeDatabaseProvider } = await import('./servers/database-provider.ts');
  await closeDatabaseProvider();
  rmSync(process.env.TEST_TARBALLS, { recursive: true, force: true });
  const { removeCompiledChildren } = await import('./compile-children.ts');
  removeCompiledChildren();
}
