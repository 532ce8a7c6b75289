import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const TIMEOUT_MS = 30 * 60_000;

describe('the model of the lease protocol [promise: unique]', () => {
  it(
    'has no duplicate in any reachable state, and has one if any of its rules is removed (control)',
    async () => {
      const script = fileURLToPath(new URL('check.sh', import.meta.url));
      const { stdout } = await promisify(execFile)('bash', [script], { timeout: TIMEOUT_MS }).catch(
        (error: { readonly stdout: string }) => error,
      );
      expect(stdout).toMatch(/^\d+ as expected, 0 not$/m);
    },
    TIMEOUT_MS + 10_000,
  );
});
