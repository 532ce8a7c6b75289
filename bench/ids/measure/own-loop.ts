/**
 * Returns a loop that calls `make` the given number of times and keeps the results in `kept[0]`, `kept[1]`, …
 *
 * V8 keeps one type feedback for all closures of a piece of code. In a shared loop, no rival could be inlined and each would
 * pay for the others. So each gets its own loop, compiled from text, as in mitata. Results are kept because V8 removes work
 * whose result is unused.
 */
export function ownLoop<T>(make: () => T, kept: T[]): (count: number) => void {
  return compile(
    'make',
    'kept',
    'return (count) => { for (let at = 0; at < count; at++) kept[at] = make(); };',
  )(make, kept) as (count: number) => void;
}

/** The same for a `make` whose results are awaited one by one. */
export function ownAsyncLoop<T>(make: () => Promise<T>, kept: T[]): (count: number) => Promise<void> {
  return compile(
    'make',
    'kept',
    'return async (count) => { for (let at = 0; at < count; at++) kept[at] = await make(); };',
  )(make, kept) as (count: number) => Promise<void>;
}

let compiled = 0;

/** Returns a new function each time. For a known text, V8 would reuse the compiled function with its type feedback. */
function compile(...texts: string[]): (...values: unknown[]) => unknown {
  const parameters = texts.slice(0, -1);
  return new Function(...parameters, `/* ${++compiled} */ ${texts.at(-1)}`) as (
    ...values: unknown[]
  ) => unknown;
}
