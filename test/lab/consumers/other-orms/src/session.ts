import { SnowflakeIdMaker, staticLeaseStore } from 'nestjs-snowflake/standalone';
import { ids as late } from './ids.js';

/** An ID that a JavaScript number can't hold. */
export const CUSTOMER = '382475217496248323';

export const WORKER_ID = 7;

export const TABLE = 'CREATE TABLE orders (id bigint PRIMARY KEY NOT NULL, customer_id bigint NOT NULL)';

/** Rows as the ORM returned them after the insert, and as it read them later, with IDs as text. */
export interface Report {
  readonly created: readonly [id: unknown, customerId: unknown];
  readonly read: readonly [id: unknown, customerId: unknown];
}

/** Runs `work` while an ID maker is bound. */
export async function withIdMaker(work: (ids: SnowflakeIdMaker) => Promise<void>): Promise<void> {
  const ids = new SnowflakeIdMaker({ store: staticLeaseStore({ workerId: WORKER_ID }) });
  await ids.start();
  late.bind(ids);
  await work(ids);
  await ids.stop();
}

/** Runs `recipe` with an ID maker, and prints what it reports. */
export async function report(recipe: () => Promise<Report>): Promise<void> {
  await withIdMaker(async () => {
    const { created, read } = await recipe();
    const types = [...created, ...read].map((value) => typeof value);
    console.log(JSON.stringify({ created: created.map(String), read: read.map(String), types }));
  });
}

/** Returns the messages of the error that `work` ends with, or what it returned. */
export async function refusalOf(work: Promise<unknown>): Promise<string> {
  try {
    return `accepted: ${JSON.stringify(await work)}`;
  } catch (error) {
    return `refused: ${String(error)} ${String((error as Error).cause ?? '')}`;
  }
}
