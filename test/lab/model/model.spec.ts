import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const RUNNER = fileURLToPath(new URL('run-model.mjs', import.meta.url));
const TIMEOUT_MS = 10 * 60_000;

/** The bounded version: some scopes of `npm run model`, and the mutations whose duplicates are found soon. */
describe('the model of the lease protocol [promise: unique]', () => {
  it(
    'the model has no duplicate in the bounded scopes, and has one if any of its rules is removed',
    () => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [RUNNER, '--bounded'], {
        encoding: 'utf8',
        timeout: TIMEOUT_MS,
        killSignal: 'SIGKILL',
      });

      expect({ stdout, stderr, status }).toEqual({
        stdout: expect.stringMatching(
          /no duplicate: stuck calls[^]*duplicate: NO_TOKEN_CHECK[^]*\n\d+ as expected, 0 not\n$/,
        ),
        stderr: '',
        status: 0,
      });
    },
    TIMEOUT_MS + 10_000,
  );
});
