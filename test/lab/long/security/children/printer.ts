/** The child of secrets.spec.ts: boots apps, prints whatever they and the library give, and reports how each ended. */
import 'reflect-metadata';
import { ConsoleLogger, type INestApplication, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type LeaseEvent, SnowflakeIdMaker, SnowflakeModule, type SnowflakeOptions } from 'nestjs-snowflake';
import { waitFor } from '../../../../support/wait.js';
import type { Ending, Order } from '../support/orders.js';
import { FOREIGN_CODE } from '../support/foreign-code.js';
import { MISTAKES } from '../support/mistakes.js';
import { leakOf } from '../support/leaks.js';
import { storeOf } from '../support/store-forms.js';
import { announce, END, printEveryForm, printInside } from '../support/printed-values.js';

const TIMEOUT_MS = 80_000;
/** So short that a changed password is noticed soon. */
const LEASE = {
  possibleLoss: 'ignore' as const,
  windowMs: 10_000,
  renewEveryMs: 500,
  callTimeoutMs: 1500,
  maxSkewMs: 3000,
  reserveMs: 1000,
};

/** Boots an app as a `main.ts` does, with options that are made as it boots. */
async function boot(useFactory: () => SnowflakeOptions, json: boolean): Promise<INestApplication> {
  const registration = SnowflakeModule.forRootAsync({ useFactory });
  @Module({ imports: [registration] })
  class AppModule {}
  const logger = new ConsoleLogger({ json, colors: false });
  const app = await NestFactory.create(AppModule, { logger, abortOnError: false });
  return app.init();
}

/** Boots apps that cannot boot, logging text and JSON. @returns what the last one failed with */
async function failedBoot(useFactory: () => SnowflakeOptions): Promise<Ending> {
  let failure: unknown;
  for (const json of [false, true]) {
    try {
      const app = await boot(useFactory, json);
      await app.close();
      return { message: 'booted' };
    } catch (error) {
      failure = error;
      printEveryForm('the error of the boot', error);
    }
  }
  return endingOf(failure);
}

function endingOf(error: unknown): Ending {
  const { code, message } = error as { code?: string; message: string };
  return { code, message };
}

/** Starts an ID maker that cannot start, and prints all that can be seen of it. */
async function failedStart(ids: SnowflakeIdMaker): Promise<void> {
  ids.subscribe((event) => printEveryForm('an event', event));
  await ids.start().catch((error: unknown) => printEveryForm('the error of the start', error));
  await ids.stop();
  printEveryForm('the status', ids.status());
  printEveryForm('the ID maker', ids);
}

async function wrongCredentials({ form, places, credentials }: Order): Promise<Ending> {
  const options = (): SnowflakeOptions => ({
    store: storeOf(form, places, credentials),
    lease: { possibleLoss: 'ignore' },
  });
  const ending = await failedBoot(options);
  const given = options();
  const ids = new SnowflakeIdMaker(given);
  await failedStart(ids);
  printEveryForm('the options', given);
  printInside('the ID maker', ids);
  return ending;
}

/** Boots an app whose password is changed while it runs, and then closes it. */
async function rotation({ form, places, credentials }: Order): Promise<Ending> {
  const options = { store: storeOf(form, places, credentials), lease: LEASE };
  const app = await boot(() => options, false);
  const ids = app.get(SnowflakeIdMaker);
  const events: LeaseEvent[] = [];
  ids.subscribe((event) => events.push(event));
  const printAll = (): void => {
    printEveryForm('the options', options);
    printEveryForm('the status', ids.status());
    printEveryForm('the ID maker', ids);
    printInside('the ID maker', ids);
    printEveryForm('the events', events);
  };
  printAll();
  process.send?.({ ready: form });
  await waitFor('the changed password to be noticed', TIMEOUT_MS, () =>
    events.some(({ type }) => type === 'request-failed'),
  );
  await waitFor('the refusal', TIMEOUT_MS, () => ids.status().lastError?.code === 'SNOWFLAKE_STORE_REJECTED');
  printAll();
  const { lastError } = ids.status();
  await app.close();
  printAll();
  return { ...lastError, message: lastError?.message ?? '' };
}

async function mistake({ form, credentials, keys }: Order): Promise<Ending> {
  const make = MISTAKES[form];
  if (!make) throw new Error(`no such mistake: ${form}`);
  return failedBoot(() => make({ password: credentials.password, keys }) as SnowflakeOptions);
}

/** Boots an app and starts an ID maker with a part that is not of the library. */
async function foreignCode({ form, credentials, places }: Order): Promise<Ending> {
  const make = FOREIGN_CODE[form];
  if (!make) throw new Error(`no such part: ${form}`);
  const options = () => make(credentials.password, places);
  const ending = await failedBoot(options);
  await failedStart(new SnowflakeIdMaker(options()));
  return ending;
}

async function leak({ form, credentials, places }: Order): Promise<Ending> {
  const error = await leakOf(form, credentials.password, places);
  return failedBoot(() => {
    throw error;
  });
}

const TASKS = {
  'wrong credentials': wrongCredentials,
  rotation,
  mistake,
  'foreign code': foreignCode,
  leak,
} satisfies Record<Order['task'], (order: Order) => Promise<Ending>>;

process.on('message', (order: Order) => {
  announce(`=== ${order.form}`);
  void TASKS[order.task](order)
    .catch((error: unknown) => endingOf(error))
    .then((ending) => {
      announce(END);
      process.send?.({ form: order.form, ending });
    });
});
