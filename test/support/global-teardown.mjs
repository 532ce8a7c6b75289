import { rmSync } from 'node:fs';
import process from 'node:process';

export default async function globalTeardown() {
  const { closeDatabaseProvider } = await import('./servers/database-provider.ts');
  await closeDatabaseProvider();
  for (const folder of [process.env.TEST_TARBALLS, process.env.TEST_CHILDREN])
    rmSync(folder, { recursive: true, force: true });
}
