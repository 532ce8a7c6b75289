import { randomBytes } from 'node:crypto';
import { link, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { TokenGrant } from 'nestjs-snowflake-service';

const TOKEN_BYTES = 32;

/** Writes a file with one random token that permits everything, readable by its owner only. Keeps a file that exists. */
export async function writeFirstToken(path: string): Promise<void> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const grants: TokenGrant[] = [{ token, scopes: ['ids', 'segments', 'leases', 'claims', 'read'] }];
  await mkdir(dirname(path), { recursive: true });
  // A link appears at once, so that another process that starts now never reads half a file.
  const draft = `${path}.${process.pid}`;
  try {
    await writeFile(draft, `${JSON.stringify(grants, undefined, 2)}\n`, { mode: 0o600 });
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(draft, { force: true });
  }
}
