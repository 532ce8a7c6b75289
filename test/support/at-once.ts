/** More turns of the event loop than any chain of promises needs that waits for nothing outside. */
const TURNS = 20;

/**
 * Resolves or rejects like `outcome`, which waits for no time to pass and for no I/O. If it does wait, as a broken library may,
 * the test fails now instead of at the end of its patience.
 */
export async function atOnce<Result>(outcome: Promise<Result>): Promise<Result> {
  let isSettled = false;
  const note = (): void => void (isSettled = true);
  outcome.then(note, note);
  for (let turn = 0; turn < TURNS && !isSettled; turn++) await new Promise((resolve) => setImmediate(resolve));
  if (!isSettled) throw new Error('Waits for something that has not happened');
  return outcome;
}
