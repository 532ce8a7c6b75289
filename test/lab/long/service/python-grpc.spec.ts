import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ReflectionService } from '@grpc/reflection';
import { HealthImplementation } from 'grpc-health-check';
import { SnowflakeIdMaker, SnowflakeModule } from 'nestjs-snowflake';
import { sqlLeaseStore } from 'nestjs-snowflake/sql';
import type { LeaseStore } from 'nestjs-snowflake/store';
import { type GrpcApp, startGrpc } from '../../../../libs/snowflake-service/test/grpc-app.js';
import { TOKEN } from '../../../../libs/snowflake-service/test/service-app.js';
import { databaseFor, requirePythonGrpc } from '../../../support/servers/index.js';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const CLIENT = fileURLToPath(new URL('python_grpc.py', import.meta.url));
/** The folders of definitions, and the files in them. */
const PROTOS = {
  'libs/snowflake-service/proto': 'snowflake/v1/snowflake.proto',
  'node_modules/grpc-health-check/proto/health/v1': 'health.proto',
  'node_modules/@grpc/reflection/build/proto/grpc/reflection/v1': 'reflection.proto',
};
const WITHIN_MS = 120_000;

/** What the client prints. */
interface Printed {
  readonly health: string;
  readonly services: readonly string[];
  readonly refusal: readonly string[];
  readonly decoded: readonly [id: string, workerId: number, hasDatacenterId: boolean];
  readonly outcomes: readonly unknown[];
  readonly windowGrew: boolean;
  readonly workerIds: readonly [ofTheService: number, leased: number];
  readonly made: readonly string[];
  readonly streamed: readonly string[];
  readonly own: readonly string[];
  readonly stolen: readonly string[];
}

describe('a client that protoc generates for Python [promise: unique]', () => {
  const folder = mkdtempSync(join(tmpdir(), 'snowflake-python-'));
  const ofNode: string[] = [];
  let service: GrpcApp;
  let printed: Printed;

  beforeAll(async () => {
    const { python, protoc, plugin } = requirePythonGrpc();
    const run = (program: string, ...args: readonly string[]) =>
      promisify(execFile)(program, args, { cwd: ROOT, timeout: WITHIN_MS, maxBuffer: 64 * 1024 * 1024 });
    await run(
      protoc,
      ...Object.keys(PROTOS).map((path) => `-I${path}`),
      `--plugin=protoc-gen-grpc_python=${plugin}`,
      `--python_out=${folder}`,
      `--grpc_python_out=${folder}`,
      ...Object.values(PROTOS),
    );
    const url = await databaseFor('postgres', 'a Python client over gRPC');
    const store = (): LeaseStore => sqlLeaseStore({ url, namespace: 'shop', createTable: true });
    service = await startGrpc({
      imports: [SnowflakeModule.forRoot({ store: store(), lease: { possibleLoss: 'ignore' } })],
      service: { leases: { shop: store() }, callTimeoutMs: 20_000 },
      grpc: { health: HealthImplementation, reflection: ReflectionService },
    });
    const maker = service.app.get(SnowflakeIdMaker);
    const making = setInterval(() => ofNode.push(...maker.nextIds(10)), 1);
    try {
      const { stdout } = await run(python, CLIENT, folder, service.url, TOKEN, 'shop');
      printed = JSON.parse(stdout) as Printed;
    } finally {
      clearInterval(making);
    }
  }, WITHIN_MS);
  afterAll(async () => {
    await service?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('gets IDs, streams and its own worker ID, none of whose IDs repeats one of Node.js', () => {
    const { made, streamed, own, workerIds } = printed;
    expect([made.length, streamed.length, own.length > 0]).toEqual([10_000, 10_000, true]);
    expect(workerIds[0]).not.toBe(workerIds[1]);
    const all = [...ofNode, ...made, ...streamed, ...own];
    expect(new Set(all).size).toBe(all.length);
  });

  it('repeats IDs when it uses a worker ID without a lease (control)', () => {
    const known = new Set([...ofNode, ...printed.made, ...printed.streamed]);
    expect(printed.stolen.filter((id) => known.has(id))).not.toEqual([]);
  });

  it('reads IDs without rounding them', () => {
    const [id, workerId, hasDatacenterId] = printed.decoded;
    expect([id, workerId, hasDatacenterId]).toEqual([printed.made[0], printed.workerIds[0], false]);
  });

  it('acquires, renews and releases a lease', () => {
    expect(printed.outcomes).toEqual(['granted', 'kept', true, false]);
    expect(printed.windowGrew).toBe(true);
  });

  it('learns by a stable code why it is refused', () => {
    expect(printed.refusal).toEqual(['UNAUTHENTICATED', 'SNOWFLAKE_UNAUTHORIZED']);
  });

  it('finds the services by reflection, and their health by the service of gRPC', () => {
    expect(printed.health).toBe('SERVING');
    expect(printed.services).toEqual(
      expect.arrayContaining([
        'snowflake.v1.IdService',
        'snowflake.v1.LeaseService',
        'snowflake.v1.SegmentService',
      ]),
    );
  });
});
