/**
 * A loop that calls `make` so often and keeps what it makes in `kept[0]`, `kept[1]`, …
 *
 * V8 collects what it learns about a piece of code once for all closures of it. In a loop that all rivals shared, none
 * could be inlined and each would pay for the others; so each gets a loop of its own, compiled from text, as mitata does
 * with its own. Results are kept because V8 leaves out work whose result nobody sees.
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

/** The same for a function of one input: it gets `inputs[0]`, `inputs[1]`, … */
export function ownMappingLoop<I, T>(
  map: (input: I) => T,
  inputs: readonly I[],
  kept: T[],
): (count: number) => void {
  return compile(
    'map',
    'inputs',
    'kept',
    'return (count) => { for (let at = 0; at < count; at++) kept[at] = map(inputs[at]); };',
  )(map, inputs, kept) as (count: number) => void;
}

let compiled = 0;

/** A function of its own each time: V8 hands out the one it has, with all it learnt, for a text it has seen before. */
function compile(...texts: string[]): (...values: unknown[]) => unknown {
  const parameters = texts.slice(0, -1);
  return new Function(...parameters, `/* ${++compiled} */ ${texts.at(-1)}`) as (
    ...values: unknown[]
  ) => unknown;
}
