import { waitFor } from '../../../../test/support/wait.js';

/** Less than the timeout of a test, so that the assertion fails and not the test as a whole. */
export const TIMEOUT_MS = 20_000;

/** Repeats assertions until they hold. Fails as they fail in the end. They only read, as a page shows nothing at once. */
export async function eventually(assertions: () => Promise<void>): Promise<void> {
  let failure: unknown;
  const hold = (): Promise<boolean> =>
    assertions().then(
      () => true,
      (error: unknown) => {
        failure = error;
        return false;
      },
    );
  await waitFor('assertions to hold', TIMEOUT_MS, hold).catch((error: unknown) => {
    throw failure ?? error;
  });
}
