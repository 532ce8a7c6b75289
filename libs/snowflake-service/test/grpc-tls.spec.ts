import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { credentials, type ServerUnaryCall, ServerCredentials } from '@grpc/grpc-js';
import type { ServiceCall } from 'nestjs-snowflake-service';
import { makeCertificates, makeClientCertificate } from '../../../test/support/servers/certificates.js';
import { type GrpcApp, startGrpc } from './grpc-app.js';
import { GrpcClient } from './grpc-client.js';

const MAKE = 'snowflake.v1.IdService.MakeIds';

/** Admits the clients whose certificate has this name. */
function named(name: string): (call: ServiceCall) => boolean {
  return ({ request }) => {
    const { sslPeerCertificate } = (request as ServerUnaryCall<unknown, unknown>).getAuthContext();
    return sslPeerCertificate?.subject.CN === name;
  };
}

describe('the service over gRPC with TLS [promise: secrets]', () => {
  const folder = mkdtempSync(join(tmpdir(), 'snowflake-grpc-'));
  let service: GrpcApp;
  let ca: Buffer;

  beforeAll(async () => {
    const made = await makeCertificates(folder, {});
    ca = Buffer.from(made.ca);
    const pair = { private_key: readFileSync(made.keyFile), cert_chain: readFileSync(made.certificateFile) };
    service = await startGrpc({
      service: { authorize: named('billing') },
      grpc: { credentials: ServerCredentials.createSsl(ca, [pair], true) },
    });
  });
  afterAll(async () => {
    await service?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Generates an ID as a client with a certificate of this name, or without one. */
  async function statusFor(name: string | undefined): Promise<string> {
    const own = name === undefined ? undefined : await makeClientCertificate(folder, name);
    const channel = credentials.createSsl(
      ca,
      own ? Buffer.from(own.key) : null,
      own ? Buffer.from(own.cert) : null,
    );
    const client = new GrpcClient(service.url.replace('127.0.0.1', 'localhost'), channel);
    try {
      return (await client.call(MAKE, {}, { token: '' })).status;
    } finally {
      client.close();
    }
  }

  it.each([
    ['admits a client by the name in its certificate', 'billing', 'OK'],
    ['refuses a client whose certificate has another name', 'shop', 'UNAUTHENTICATED'],
    ['refuses a connection without a certificate', undefined, 'UNAVAILABLE'],
  ])('%s', async (_, name, status) => {
    expect(await statusFor(name)).toBe(status);
  });

  it('refuses a connection without TLS', async () => {
    expect((await service.client.call(MAKE, {}, { token: '' })).status).toBe('UNAVAILABLE');
  });
});
