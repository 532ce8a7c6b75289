import type { BitLayoutOptions, LeaseOptions } from 'nestjs-snowflake';
import { spawnChild, type TestChild } from '../../support/child.js';

/** What a holding process is to do. */
export interface HoldingJob {
  readonly url: string;
  readonly namespace: string;
  readonly layout: BitLayoutOptions;
  readonly lease: LeaseOptions;
}

export interface Holding {
  readonly id: string;
  readonly workerId: number;
}

const START_WITHIN_MS = 60_000;

/** A process of its own that holds a worker ID. */
export async function spawnHolder(job: HoldingJob): Promise<{ child: TestChild } & Holding> {
  const child = spawnChild(new URL('../children/holder.ts', import.meta.url), {
    args: [JSON.stringify(job)],
  });
  const isHolding = (message: unknown): message is Holding => typeof (message as Holding).id === 'string';
  return { child, ...(await child.next(isHolding, START_WITHIN_MS)) };
}
