import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { credentials, loadPackageDefinition, Metadata, type ServiceClientConstructor } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { bearerTokens, SnowflakeServiceModule } from 'nestjs-snowflake-service';
import { grpcTransport, snowflakeGrpc } from 'nestjs-snowflake-service/grpc';
import type { EntryPointUse } from '../entry-point-use.js';

const TOKEN = 'a-token-of-the-consumer';
const PROTO = createRequire(join(process.cwd(), 'package.json')).resolve(
  'nestjs-snowflake-service/proto/snowflake/v1/snowflake.proto',
);

/** Generates one ID, and returns what the server answers: the ID, or the stable code of the refusal. */
async function makeId(address: string, token: string): Promise<string> {
  const root = loadPackageDefinition(loadSync(PROTO, { longs: String }));
  const IdService = Reflect.get(Object(Reflect.get(Object(root.snowflake), 'v1')), 'IdService');
  const client = new (IdService as ServiceClientConstructor)(address, credentials.createInsecure());
  const metadata = new Metadata();
  metadata.set('authorization', `Bearer ${token}`);
  try {
    return await new Promise((resolve) => {
      client['MakeIds']!({}, metadata, (error: { metadata: Metadata } | null, response: { ids: string[] }) =>
        resolve(error ? String(error.metadata.get('snowflake-code')[0]) : response.ids[0]!),
      );
    });
  } finally {
    client.close();
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}

export const grpc: EntryPointUse = {
  imports: [
    SnowflakeServiceModule.forRoot({
      path: 'ids',
      grpc: grpcTransport,
      authorize: bearerTokens([{ token: TOKEN, scopes: ['ids'] }]),
    }),
  ],
  async use(app) {
    const url = `127.0.0.1:${await freePort()}`;
    app.connectMicroservice(snowflakeGrpc({ url }));
    await app.startAllMicroservices();
    return [/^\d{15,19}$/.test(await makeId(url, TOKEN)), await makeId(url, 'an-unknown-token')];
  },
};
