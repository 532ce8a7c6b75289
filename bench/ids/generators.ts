import { BitLayout, IdGenerator, systemClock } from 'nestjs-snowflake/core';

const LAYOUT = new BitLayout();
const FOR_EVER_MS = Number.MAX_SAFE_INTEGER;

/** A generator of the default layout that holds its worker ID without an end and has generated no ID yet. */
export function newGenerator(): IdGenerator {
  const generator = new IdGenerator(LAYOUT, systemClock);
  generator.adopt({
    workerId: 1,
    fromMs: Date.now() - LAYOUT.tickMs,
    untilMs: FOR_EVER_MS,
    clockTimeUntilMs: FOR_EVER_MS,
  });
  return generator;
}
