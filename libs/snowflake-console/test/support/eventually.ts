import { waitFor } from '../../../../test/support/wait.js';

const WITHIN_MS = 30_000;

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
  await waitFor('assertions to hold', WITHIN_MS, hold).catch((error: unknown) => {
    throw failure ?? error;
  });
}
