/** A test of a user: it sets the time of the fake timers of Jest and Vitest to a date that does not exist, and asks for many IDs. */
import { withGlobal } from '@sinonjs/fake-timers';
import { memoryLeaseStore, type SnowflakeError, SnowflakeIdMaker } from 'nestjs-snowflake/standalone';

const POLICIES = [
  { onSequenceExhausted: 'borrow' },
  { onSequenceExhausted: 'wait' },
  { onClockRollback: 'wait' },
] as const;

for (const policies of POLICIES) {
  const ids = new SnowflakeIdMaker({
    ...policies,
    store: memoryLeaseStore(),
    lease: { possibleLoss: 'ignore' },
  });
  await ids.start();
  const seen = new Set([ids.nextId()]);
  const timers = withGlobal(globalThis).install({
    now: new Date('2027-13-01'),
    toFake: ['Date', 'performance'],
  });
  const isInvalid = Number.isNaN(Date.now()) && Number.isNaN(performance.now());
  let code: string | undefined;
  try {
    while (seen.size < 30_000) seen.add(ids.nextId());
  } catch (error) {
    code = (error as SnowflakeError).code;
  }
  timers.uninstall();
  await ids.stop();
  process.send?.({ policies, isInvalid, distinct: seen.size, code });
}
process.disconnect();
