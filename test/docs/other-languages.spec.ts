import { execFile, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { BitLayout, IdDecoder } from 'nestjs-snowflake/core';
import { remoteLeaseStore } from 'nestjs-snowflake/remote';
import { type LeaseStore, memoryLeaseStore, SnowflakeIdMaker } from 'nestjs-snowflake/standalone';
import { MemoryRegistry } from 'nestjs-snowflake/store';
import { send, startService, storeOfTests, TOKEN } from '../../libs/snowflake-service/test/service-app.js';
import type { HttpApp } from '../adapters/http-apps.js';
import { cleanUpAfterAll, cleanUpAfterEach, temporaryFolder } from '../support/clean-up.js';
import { waitFor } from '../support/wait.js';
import { MarkdownPage, ROOT } from './markdown.js';

/** Less than a test may take, so that a program that hangs is named. */
const WITHIN_MS = 20_000;
const guide = MarkdownPage.read('docs/operations/id-service.md');
/** A request for a lease, and the response. */
const examples = MarkdownPage.read('docs/reference/protocol.md')
  .under('Leases')
  .blocksIn('json')
  .map(({ text }) => JSON.parse(text) as Readonly<Record<string, unknown>>);

describe('the guide on other languages', () => {
  const folder = temporaryFolder(cleanUpAfterAll());
  const cleanUp = cleanUpAfterEach();

  async function serve(leases: Readonly<Record<string, LeaseStore>> = {}): Promise<HttpApp> {
    const service = await startService('Fastify', { leases });
    cleanUp(() => service.stop());
    return service;
  }

  function programOfGuide(file: string): string {
    const block = guide.blocksIn('python').find(({ text }) => text.startsWith(`# ${file}\n`));
    const program = join(folder, file);
    writeFileSync(program, block!.text);
    return program;
  }

  const environmentOf = (url: string, token: string): NodeJS.ProcessEnv => ({
    ...process.env,
    PYTHONPATH: join(ROOT, 'examples/python'),
    ID_SERVICE_URL: url,
    BILLING_TOKEN: token,
  });

  /** Runs a program of the guide. */
  const runGuide = (url: string, token: string, file = 'billing.py'): Promise<{ readonly stdout: string }> =>
    promisify(execFile)('python3', ['-B', programOfGuide(file)], {
      timeout: WITHIN_MS,
      env: environmentOf(url, token),
    });

  it('requests IDs in Python with the standard library', async () => {
    const { url } = await serve();
    const { stdout } = await runGuide(url, TOKEN, 'request_ids.py');
    expect(new Set(stdout.match(/\d{18,19}/g)).size).toBe(3);
  });

  it('leases a worker ID in Python, with the defaults and the layout string of Node.js', async () => {
    const registry = storeOfTests();
    const { url } = await serve({ shop: registry });
    const store = remoteLeaseStore({ url, token: TOKEN, namespace: 'shop' });
    const maker = new SnowflakeIdMaker({ store, lease: { possibleLoss: 'ignore' } });
    await maker.start();
    cleanUp(() => maker.stop());
    const { layout = '' } = await registry.inspect();
    expect(examples[0]).toMatchObject({ layout });

    const { stdout } = await runGuide(url, TOKEN);
    const { workerId, timestampMs } = new IdDecoder(new BitLayout()).decode(stdout.trim());
    expect(workerId).not.toBe(maker.status().workerId);
    expect(Math.abs(timestampMs - (await registry.inspect()).storeNowMs)).toBeLessThan(WITHIN_MS);
    const row = await waitFor('the worker ID to be released', WITHIN_MS, async () => {
      const { rows } = await registry.inspect();
      return rows.find((each) => each.workerId === workerId && each.fencingToken === '');
    });
    // For all timestamps that it did not use.
    expect(row.reservedUntilMs).toBe(timestampMs);
  });

  it('shows a request for a lease that the service grants, and all fields of the response', async () => {
    const service = await serve({ shop: storeOfTests() });
    const [request, response] = examples;
    const { status, body } = await send(service, 'v1/leases/shop', { body: request });
    expect({ status, outcome: body.outcome }).toEqual({ status: 200, outcome: response!.outcome });
    expect(Object.keys(body).sort()).toEqual(Object.keys(response!).sort());
  });

  /** Waits for a warning of the program on stderr. Returns it. */
  async function warningOf(url: string): Promise<string> {
    const python = spawn('python3', ['-B', programOfGuide('billing.py')], { env: environmentOf(url, TOKEN) });
    cleanUp(() => python.kill('SIGKILL'));
    let printed = '';
    python.stderr.on('data', (text: Buffer) => (printed += text.toString()));
    const [warning] = await waitFor(
      'a warning',
      WITHIN_MS,
      () => /^waiting for a lease.*$/m.exec(printed) ?? false,
    );
    expect(python.exitCode).toBeNull();
    return warning!;
  }

  it('shows on stderr that the Python process waits for a service that does not respond, and why', async () => {
    expect(await warningOf('http://127.0.0.1:1')).toMatch(/refused/i);
  });

  it('shows on stderr in words that the Python process waits for leases that may have been lost', async () => {
    const empty = memoryLeaseStore({ registry: new MemoryRegistry() });
    const lease: LeaseStore['lease'] = (request, deadline) => empty.lease(request, deadline);
    const { url } = await serve({ shop: { ...storeOfTests(), lease } });
    expect(await warningOf(url)).toMatch(/may have lost leases, and grants the next one in \d+ s$/);
  });

  it.each([
    ['an unknown token', 'shop', 'an-unknown-token-of-nobody', 'SNOWFLAKE_UNAUTHORIZED'],
    ['a namespace that is not served', 'billing', TOKEN, 'SNOWFLAKE_UNKNOWN_NAME'],
  ])('fails in Python with an error that says why for %s', async (_, served, token, code) => {
    const { url } = await serve({ [served]: storeOfTests() });
    const failure = runGuide(url, token).catch(({ stderr }: { stderr: string }) => stderr.trim());
    const message = String(await failure)
      .split('\n')
      .at(-1);
    expect(message).toMatch(/NoIds/);
    expect(message).toContain(code);
  });
});
