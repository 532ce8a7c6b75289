import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type GrpcObject,
  loadPackageDefinition,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type sendUnaryData,
  type ServiceClientConstructor,
} from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { SnowflakeIdMaker } from 'nestjs-snowflake';
import { PROTO_FILE } from '../proto-file.js';

const HOST = '127.0.0.1';

/** The least that an ID over HTTP can cost in Node.js. */
export async function openNodeHttp(ids: SnowflakeIdMaker): Promise<string> {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ ids: [ids.nextId()] }));
  });
  await new Promise<void>((resolve) => server.listen(0, HOST, resolve));
  return `http://${HOST}:${(server.address() as AddressInfo).port}`;
}

/** The Fastify that Nest runs on, without Nest. */
export async function openFastify(ids: SnowflakeIdMaker): Promise<string> {
  const fastify = new FastifyAdapter().getInstance();
  fastify.get('/v1/ids', async () => ({ ids: [ids.nextId()] }));
  return fastify.listen({ host: HOST, port: 0 });
}

interface Packages {
  readonly snowflake: { readonly v1: { readonly IdService: ServiceClientConstructor } };
}

/** A server with the one method, as its documentation shows it. */
export async function openGrpcJs(ids: SnowflakeIdMaker): Promise<string> {
  const packages: GrpcObject = loadPackageDefinition(loadSync(PROTO_FILE, { longs: String }));
  const { service } = (packages as unknown as Packages).snowflake.v1.IdService;
  const server = new Server();
  server.addService(service, {
    makeIds(_: ServerUnaryCall<object, object>, done: sendUnaryData<object>) {
      done(null, { ids: [ids.nextId()] });
    },
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`${HOST}:0`, ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  return `${HOST}:${port}`;
}
