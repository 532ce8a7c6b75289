import { BitLayout, type GeneratorOptions, IdGenerator, systemClock } from 'nestjs-snowflake/core';

/** The library's default layout: 41 bits of milliseconds, 10 of worker ID, 12 of sequence. */
export const DEFAULT_LAYOUT = new BitLayout();

const FOR_EVER_MS = Number.MAX_SAFE_INTEGER;

/** A generator that holds its worker ID without an end and has made no ID yet. */
export function newGenerator(
  layout = DEFAULT_LAYOUT,
  options: GeneratorOptions = {},
  workerId = 1,
): IdGenerator {
  const generator = new IdGenerator(layout, systemClock, options);
  generator.adopt({
    workerId,
    fromMs: Date.now() - layout.tickMs,
    untilMs: FOR_EVER_MS,
    clockTimeUntilMs: FOR_EVER_MS,
  });
  return generator;
}
