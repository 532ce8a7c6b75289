import { type BitLayout, SnowflakeError } from 'nestjs-snowflake/core';
import { CALLS, ENTRY_POINTS } from './entry-point-calls.js';

class Stranger {
  readonly name = 'stranger';
}

const HOSTILE: readonly unknown[] = [
  undefined,
  null,
  {},
  [],
  Number.NaN,
  -1,
  1.5,
  '',
  'x',
  true,
  Stranger,
  new Stranger(),
  new Date(Number.NaN),
  () => undefined,
];

describe('a wrong argument', () => {
  const names = Object.keys(CALLS);

  it.each(names)('refuses wrong arguments of %s with a typed error', async (name) => {
    const [call, ...right] = CALLS[name] ?? [() => undefined];
    const faults: unknown[] = [];
    for (const [at] of right.entries()) {
      for (const wrong of HOSTILE) {
        const given = right.with(at, wrong);
        const fault = await faultOf(() => call(...given));
        if (fault !== undefined) faults.push({ at, wrong, fault });
      }
    }
    expect(faults).toEqual([]);
  });

  it('tries everything that an entry point exports, except errors and constants', () => {
    const callables = Object.values(ENTRY_POINTS)
      .flatMap((entryPoint) => Object.entries(entryPoint))
      .filter(([name, value]) => typeof value === 'function' && !name.endsWith('Error'))
      .map(([name]) => name)
      // Their static methods are called, and Nest makes their instances; only Segments makes a source.
      .filter(
        (name) =>
          !/^(Snowflake(Testing|Service)?Module|SnowflakeProblemFilter|SegmentModule|SegmentSource)$/.test(
            name,
          ),
      );
    expect([...new Set(callables)].filter((name) => !(name in CALLS))).toEqual([]);
  });

  it('finds an untyped error of a wrong argument (control)', async () => {
    const careless = (given: unknown): unknown => (given as BitLayout).field('worker');
    expect(await faultOf(() => careless({}))).toBeInstanceOf(TypeError);
  });
});

/** What a call with wrong arguments throws, unless it is a typed error. */
async function faultOf(call: () => unknown): Promise<unknown> {
  try {
    await call();
    return undefined;
  } catch (error) {
    const isTyped = error instanceof SnowflakeError && error.code.startsWith('SNOWFLAKE_');
    return isTyped ? undefined : error;
  }
}
