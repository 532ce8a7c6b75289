import type { LeaseOptions } from 'nestjs-snowflake/standalone';

/** A window short enough to outlast in a test, with durations that leave the store's calls time under load. */
export const SHORT_WINDOW: Required<
  Pick<LeaseOptions, 'windowMs' | 'renewEveryMs' | 'callTimeoutMs' | 'maxSkewMs' | 'reserveMs'>
> = {
  windowMs: 2500,
  renewEveryMs: 250,
  callTimeoutMs: 350,
  maxSkewMs: 700,
  reserveMs: 450,
};
