import {
  ServiceFolder,
  ServiceProcess,
  TOKEN,
} from '../../../apps/id-service/test/support/service-process.js';
import { packLibrary } from '../long/packaging/packed-library.js';
import { Consumer, STEP_WITHIN_MS } from './consumer.js';

/** How to run a script, and the runtime that it must find itself in. */
const RUNTIMES = [
  ['node', process.execPath],
  ['bun', 'node_modules/.bin/bun', 'run'],
  ['deno', 'node_modules/.bin/deno', 'run', '--allow-all', '--node-modules-dir=manual'],
] as const;

interface Made {
  readonly runtime: string;
  readonly made: readonly string[];
}

let services: ServiceFolder;
let service: ServiceProcess;
let script: Consumer;

beforeAll(async () => {
  services = new ServiceFolder();
  service = await ServiceProcess.start(services.env());
  script = new Consumer('other-runtimes', { ID_SERVICE_URL: service.url, ID_SERVICE_TOKEN: TOKEN });
  await script.install((await packLibrary()).path);
  // Each chooses its binary for this machine.
  await script.run(process.execPath, 'node_modules/bun/install.js');
  await script.run(process.execPath, 'node_modules/deno/install.cjs');
}, STEP_WITHIN_MS);
afterAll(async () => {
  script?.remove();
  await service?.stop();
  services?.remove();
}, STEP_WITHIN_MS);

describe('a remote lease store [promise: unique]', () => {
  it(
    'leases worker IDs in Node.js, Bun and Deno, whose IDs differ',
    async () => {
      const ids = new Set<string>();
      for (const [runtime, command, ...args] of RUNTIMES) {
        const { stdout } = await script.run(command, ...args, 'use.mjs');
        const printed = JSON.parse(stdout) as Made;
        expect(printed.runtime).toBe(runtime);
        for (const id of printed.made) ids.add(id);
      }
      expect(ids.size).toBe(1000 * RUNTIMES.length);
    },
    STEP_WITHIN_MS,
  );
});
