import { startEtcd, startZookeeper } from '../../support/servers/index.js';
import { packLibrary } from '../long/packaging/packed-library.js';
import type { Printed } from './app-process.js';
import { Consumer, STEP_WITHIN_MS } from './consumer.js';

interface Made {
  readonly workerId: number;
  readonly made: readonly string[];
}

let script: Consumer;
const servers: { stop(): Promise<void> }[] = [];
let addresses: Readonly<Record<string, string>>;

beforeAll(async () => {
  const [etcd, zookeeper] = await Promise.all([startEtcd({ members: 3 }), startZookeeper({ members: 3 })]);
  servers.push(etcd, zookeeper);
  addresses = { etcd: etcd.url, zookeeper: zookeeper.connectString };
  script = new Consumer('coordination');
  await script.install((await packLibrary()).path);
}, STEP_WITHIN_MS);
afterAll(async () => {
  script?.remove();
  await Promise.all(servers.map((server) => server.stop()));
}, STEP_WITHIN_MS);

const printed = ({ stdout }: Printed): Made => JSON.parse(stdout) as Made;

describe.each(['etcd', 'zookeeper'])('an app that leases in %s [promise: unique]', (kind) => {
  it(
    'makes no equal IDs in processes that follow each other, one of which was killed',
    async () => {
      const run = (file: string, ...args: string[]): Promise<Printed> =>
        script.run(process.execPath, file, kind, addresses[kind]!, ...args);
      const first = printed(await run('use.cjs'));
      const killed = await run('use.mjs', '--killed').catch((error: Error) =>
        printed(error.cause as Printed),
      );
      const last = printed(await run('use.mjs'));
      const all = [first, killed as Made, last];
      expect(new Set(all.flatMap(({ made }) => made)).size).toBe(3000);
      // The killed one still holds its worker ID, and the others have given theirs back.
      expect(last.workerId).not.toBe((killed as Made).workerId);
    },
    STEP_WITHIN_MS,
  );
});
