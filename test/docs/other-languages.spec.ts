import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { BitLayout, IdDecoder } from 'nestjs-snowflake/core';
import { remoteLeaseStore } from 'nestjs-snowflake/remote';
import { SnowflakeIdMaker } from 'nestjs-snowflake/standalone';
import { startService, storeOfTests, TOKEN } from '../../libs/snowflake-service/test/service-app.js';
import { waitFor } from '../support/wait.js';
import { MarkdownPage, ROOT } from './markdown.js';

/** Less than a test may take, so that a program that hangs is named. */
const WITHIN_MS = 20_000;
const guide = MarkdownPage.read('docs/guides/other-languages.md');
const protocol = MarkdownPage.read('docs/reference/protocol.md');

describe('the guide on other languages', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'snowflake-python-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Runs the program of the guide. */
  function runGuide(url: string, token: string): Promise<{ readonly stdout: string }> {
    const program = join(folder, 'billing.py');
    writeFileSync(program, guide.blocksIn('python')[0]?.text ?? '');
    const PYTHONPATH = join(ROOT, 'examples/python');
    return promisify(execFile)('python3', ['-B', program], {
      timeout: WITHIN_MS,
      env: { ...process.env, PYTHONPATH, ID_SERVICE_URL: url, SHOP_TOKEN: token },
    });
  }

  it('leases a worker ID in Python, with the defaults and the layout string of Node.js', async () => {
    const registry = storeOfTests();
    const service = await startService('Fastify', { leases: { shop: registry } });
    try {
      const store = remoteLeaseStore({ url: service.url, token: TOKEN, namespace: 'shop' });
      const maker = new SnowflakeIdMaker({ store, lease: { possibleLoss: 'ignore' } });
      await maker.start();
      const { layout = '' } = await registry.inspect();
      expect(protocol.blocksIn('text').map(({ text }) => text.trim())).toContain(layout);

      const { stdout } = await runGuide(service.url, TOKEN);
      const { workerId, timestampMs } = new IdDecoder(new BitLayout()).decode(stdout.trim());
      expect(workerId).not.toBe(maker.status().workerId);
      expect(Math.abs(timestampMs - (await registry.inspect()).storeNowMs)).toBeLessThan(WITHIN_MS);
      const row = await waitFor('the worker ID to be given back', WITHIN_MS, async () => {
        const { rows } = await registry.inspect();
        return rows.find((each) => each.workerId === workerId && each.fencingToken === '');
      });
      // For all timestamps that it did not use.
      expect(row.reservedUntilMs).toBe(timestampMs);
      await maker.stop();
    } finally {
      await service.stop();
    }
  });

  it.each([
    ['an unknown token', 'shop', 'an-unknown-token-of-nobody', 'SNOWFLAKE_UNAUTHORIZED'],
    ['a namespace that is not served', 'billing', TOKEN, 'SNOWFLAKE_UNKNOWN_NAME'],
  ])('fails in Python with an error that says why for %s', async (_, served, token, code) => {
    const service = await startService('Fastify', { leases: { [served]: storeOfTests() } });
    try {
      const failure = runGuide(service.url, token).catch(({ stderr }: { stderr: string }) => stderr.trim());
      const message = String(await failure)
        .split('\n')
        .at(-1);
      expect(message).toMatch(/NoIds/);
      expect(message).toContain(code);
    } finally {
      await service.stop();
    }
  });
});
