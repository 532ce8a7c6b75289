import { redisLeaseStore, type RedisLeaseStoreOptions } from 'nestjs-snowflake/redis';
import { SnowflakeIdMaker } from 'nestjs-snowflake/standalone';
import { cleanUpAfterEach } from '../../support/clean-up.js';
import { type Certificates, makeCertificates } from '../../support/servers/certificates.js';
import { freePort, type RedisServer, startRedis } from '../../support/servers/index.js';
import { makeDirectory, removeDirectory } from '../../support/servers/server-process.js';

/** Much less than the time of a start, which a fault of TLS used to take. */
const AT_ONCE_MS = 20_000;
const ACQUIRE_TIMEOUT_MS = 120_000;
const REJECTED = 'SNOWFLAKE_STORE_REJECTED';

describe('a Redis with TLS', () => {
  let directory: string;
  let certificates: Certificates;
  let server: RedisServer;
  let tlsPort: number;
  const cleanUp = cleanUpAfterEach();

  beforeAll(async () => {
    directory = makeDirectory('redis-tls');
    certificates = await makeCertificates(directory, {});
    tlsPort = await freePort();
    const { caFile, certificateFile, keyFile } = certificates;
    const files = [
      '--tls-cert-file',
      certificateFile,
      '--tls-key-file',
      keyFile,
      '--tls-ca-cert-file',
      caFile,
    ];
    server = await startRedis({
      args: ['--tls-port', String(tlsPort), '--tls-auth-clients', 'no', ...files],
    });
  });
  afterAll(async () => {
    await server?.stop();
    removeDirectory(directory);
  });

  const start = (options: Partial<RedisLeaseStoreOptions>): Promise<void> => {
    const lease = { possibleLoss: 'ignore', acquireTimeoutMs: ACQUIRE_TIMEOUT_MS } as const;
    const ids = new SnowflakeIdMaker({ store: redisLeaseStore({ namespace: 'tls', ...options }), lease });
    cleanUp(() => ids.stop());
    return ids.start();
  };
  const secure = (tls: object): Partial<RedisLeaseStoreOptions> => ({
    options: { host: 'localhost', port: tlsPort, tls },
  });

  it('serves a client that knows its authority', async () => {
    await expect(start(secure({ ca: certificates.ca }))).resolves.toBeUndefined();
  });

  it.each<[string, () => Partial<RedisLeaseStoreOptions>, RegExp]>([
    ['of an unknown authority', () => secure({}), /Correct the CA, the host name or the TLS options/],
    [
      'of another host',
      () => secure({ ca: certificates.ca, servername: 'redis.example' }),
      /Correct the CA, the host name or the TLS options/,
    ],
    [
      'that gets no TLS',
      () => ({ url: `redis://localhost:${tlsPort}` }),
      /Use rediss:\/\/ instead of redis:/,
    ],
    [
      'that has none on this port',
      () => ({ url: `rediss://localhost:${server.port}` }),
      /Use redis:\/\/ instead/,
    ],
  ])(
    'ends the start at once for a server %s, and the error tells what to do',
    async (_, options, remedy) => {
      const failure = start(options()).catch((error: unknown) => error);
      expect(await failure).toMatchObject({ code: REJECTED, message: expect.stringMatching(remedy) });
    },
    AT_ONCE_MS,
  );
});
