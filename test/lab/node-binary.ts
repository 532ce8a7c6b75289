import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const DOWNLOAD_WITHIN_MS = 300_000;

/** Installs another version of Node.js from npm, unless it is in npm's cache, and resolves to the path of its program. */
export async function nodeBinary(version: number): Promise<string> {
  const args = ['--yes', '--package', `node@${version}`, '--', 'node', '--print', 'process.execPath'];
  const { stdout } = await promisify(execFile)('npx', args, { timeout: DOWNLOAD_WITHIN_MS });
  return stdout.trim();
}
