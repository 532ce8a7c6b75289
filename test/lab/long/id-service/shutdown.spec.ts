import { Client } from 'pg';
import { databaseFor } from '../../../support/servers/index.js';
import { waitFor } from '../../../support/wait.js';
import { RawClient } from '../../../../apps/shared/test/support/raw-client.js';
import {
  ServiceFolder,
  ServiceProcess,
  TOKEN,
} from '../../../../apps/id-service/test/support/service-process.js';

const WITHIN_MS = 60_000;
const BODY = JSON.stringify({ count: 2 });
const HEAD = [
  'POST /v1/ids HTTP/1.1',
  'Host: ids',
  `Authorization: Bearer ${TOKEN}`,
  'Content-Type: application/json',
  `Content-Length: ${BODY.length}`,
  '',
  '',
];

describe('SIGTERM for the ID service', () => {
  let folder: ServiceFolder;
  let service: ServiceProcess;
  let database: Client;

  async function start(graceMs: number): Promise<void> {
    const url = await databaseFor('postgres', 'id-service-shutdown');
    service = await ServiceProcess.start(
      folder.env({ DATABASE_URL: url, SHUTDOWN_GRACE_MS: String(graceMs) }),
    );
    database = new Client({ connectionString: url });
    await database.connect();
  }

  beforeEach(() => {
    folder = new ServiceFolder();
  });
  afterEach(async () => {
    await service?.stop();
    await database?.end();
    folder.remove();
  });

  async function heldLeases(): Promise<number> {
    const { rows } = await database.query(`SELECT 1 FROM snowflake_lease WHERE fencing_token <> ''`);
    return rows.length;
  }

  it('answers a request in flight with IDs, then gives the lease back and exits with 0', async () => {
    await start(60_000);
    const client = await RawClient.connect(service.url);
    client.send(...HEAD);
    // A second request on its own connection is answered after the first one has arrived.
    expect((await fetch(`${service.url}/health`, { headers: { connection: 'close' } })).status).toBe(200);
    service.signal('SIGTERM');
    await service.untilPrinted('Finishing the requests in flight');
    await waitFor('the port to be closed', WITHIN_MS, () =>
      fetch(`${service.url}/health`, { headers: { connection: 'close' } }).then(
        () => false,
        () => true,
      ),
    );
    expect(await heldLeases()).toBe(1);
    expect(service.isAlive).toBe(true);

    client.send(BODY);
    await client.untilReceived('"ids"');
    expect(client.text).toMatch(/^HTTP\/1\.1 200 /);
    expect(client.text).toMatch(/\{"ids":\["\d+","\d+"\]\}$/);
    expect(await service.untilEnd()).toEqual({ code: 0, signal: null });
    expect(await heldLeases()).toBe(0);
  });

  it('gives the lease back and exits with 1 although a client never sends the rest of its request', async () => {
    await start(4_000);
    const client = await RawClient.connect(service.url);
    client.send(...HEAD);
    expect((await fetch(`${service.url}/health`, { headers: { connection: 'close' } })).status).toBe(200);
    service.signal('SIGTERM');
    expect(await service.untilEnd()).toEqual({ code: 1, signal: null });
    await client.untilEnd();
    expect(await heldLeases()).toBe(0);
  });

  it('keeps the lease if the process is killed instead (control)', async () => {
    await start(60_000);
    await service.kill();
    expect(await heldLeases()).toBe(1);
  });
});
