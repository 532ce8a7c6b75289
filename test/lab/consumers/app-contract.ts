import { packLibrary } from '../long/packaging/packed-library.js';
import type { Ended } from './app-process.js';
import { Consumer, STEP_WITHIN_MS, warningsOfOurs } from './consumer.js';
import { waitFor } from '../../support/wait.js';
import type { HeldLeases } from './held-leases.js';

const ID = /^\d{15,19}$/;
/** What the script `build` makes. */
const MAIN = 'dist/main.js';
const RELEASED_WITHIN_MS = 60_000;

/** Arguments that give each test of a test runner minutes, because an app boots slowly on a busy machine. */
export const LONG_TIMEOUTS = {
  jest: ['--testTimeout=180000', '--openHandlesTimeout=30000'],
  vitest: ['--testTimeout=180000', '--hookTimeout=180000'],
} as const;

/** The environment variables of an app, and where it keeps its leases. */
export interface AppEnvironment {
  readonly env: NodeJS.ProcessEnv;
  readonly held: HeldLeases;
  stop?(): Promise<void>;
}

/** An app beside this file, and its expected behavior. */
export interface UserApp {
  readonly folder: string;
  /** What follows `npm i`; `nestjs-snowflake` stands for the packed library. */
  readonly install: string;
  /** Parts of what its test runners print at the end. */
  readonly passes: { readonly test: string; readonly 'test:e2e': string };
  /** Arguments of its test runner; none by default. */
  readonly testArguments?: readonly string[];
  /** How the process ends on SIGTERM. */
  readonly end: Pick<Ended, 'code' | 'signal'>;
  /** Arguments with which the script `lint` fails on a warning; absent if there is no such script. */
  readonly lint?: readonly string[];
  /** Starts the servers that the app needs. */
  prepare(): Promise<AppEnvironment>;
}

/** Declares the tests that every app of a user passes, and then `more` of this one. */
export function describeUserApp(
  title: string,
  app: UserApp,
  more?: (consumer: () => Consumer) => void,
): void {
  const { testArguments = [] } = app;

  describe(title, () => {
    let prepared: AppEnvironment;
    let consumer: Consumer;

    beforeAll(async () => {
      prepared = await app.prepare();
      consumer = new Consumer(app.folder, prepared.env);
    }, STEP_WITHIN_MS);
    afterAll(async () => {
      await prepared?.stop?.();
      consumer?.remove();
    }, STEP_WITHIN_MS);

    it(
      'installs the library as the README says, without a warning',
      async () => {
        const { path: tarball } = await packLibrary();
        const packages = app.install.split(' ').map((name) => name.replace(/^nestjs-snowflake$/, tarball));
        expect(warningsOfOurs(await consumer.install(...packages))).toEqual([]);
      },
      STEP_WITHIN_MS,
    );

    it('builds', async () => void (await consumer.script('build')), STEP_WITHIN_MS);

    const { lint } = app;
    if (lint) {
      it('pleases its linter', async () => void (await consumer.script('lint', ...lint)), STEP_WITHIN_MS);
    }

    it(
      'passes its unit tests, which import an entity',
      async () => {
        const printed = await consumer.script('test', ...testArguments);
        expect(printed).toContain(app.passes.test);
        expect(printed).not.toMatch(/warn/i);
      },
      STEP_WITHIN_MS,
    );

    it(
      'passes its e2e test, which inserts, and gives the worker ID back',
      async () => {
        const printed = await consumer.script('test:e2e', ...testArguments);
        expect(printed).toContain(app.passes['test:e2e']);
        expect(printed).not.toMatch(/warn|did not exit/i);
        await untilNothingIsHeld();
      },
      STEP_WITHIN_MS,
    );

    /** A process does not wait long for the answer to its last call. */
    async function untilNothingIsHeld(): Promise<void> {
      await waitFor('the worker ID to be released', RELEASED_WITHIN_MS, async () => {
        return (await prepared.held()).length === 0;
      });
    }

    /** Inserts an order through HTTP, and reads it. */
    async function order(url: string): Promise<void> {
      const created = (await (await fetch(`${url}/orders`, { method: 'POST' })).json()) as {
        readonly id: string;
      };
      expect(created.id).toMatch(ID);
      expect(await (await fetch(`${url}/orders/${created.id}`)).json()).toEqual(created);
      expect(await prepared.held()).toHaveLength(1);
    }

    it(
      'starts, inserts, and gives the worker ID back on SIGTERM',
      async () => {
        const { stderr, code, signal } = await consumer.serve(MAIN, order);
        expect({ code, signal }).toEqual(app.end);
        expect(stderr).toBe('');
        await untilNothingIsHeld();
      },
      STEP_WITHIN_MS,
    );

    more?.(() => consumer);

    it(
      'keeps the worker ID when it is killed (control)',
      async () => {
        await consumer.serve(MAIN, order, 'SIGKILL');
        expect(await prepared.held()).toHaveLength(1);
      },
      STEP_WITHIN_MS,
    );
  });
}
