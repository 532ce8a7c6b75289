import { Client, credentials, Metadata, type MethodDefinition, type ServiceDefinition } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { TOKEN } from '../endpoints.js';
import { PROTO_FILE } from '../proto-file.js';
import type { IdClient } from './id-client.js';

const FIXED64_BYTES = 8;

/** Requests IDs over gRPC, on one connection. */
export class GrpcIdClient implements IdClient {
  private readonly service = loadSync(PROTO_FILE)['snowflake.v1.IdService'] as ServiceDefinition;
  private readonly metadata = new Metadata();
  private readonly client: Client;

  constructor(url: string) {
    this.metadata.set('authorization', `Bearer ${TOKEN}`);
    this.client = new Client(url, credentials.createInsecure());
  }

  take(count: number): Promise<readonly bigint[]> {
    const { path, requestSerialize } = this.method('MakeIds');
    return new Promise((resolve, reject) => {
      this.client.makeUnaryRequest(path, requestSerialize, idsIn, { count }, this.metadata, (error, ids) => {
        if (ids?.length === count) resolve(ids);
        else reject(error ?? new Error(`${ids?.length} IDs instead of ${count}`));
      });
    });
  }

  /** Opens a stream of batches. */
  stream(batchSize: number, batchCount: number): AsyncIterable<readonly bigint[]> {
    const { path, requestSerialize } = this.method('StreamIds');
    const request = { batchSize, batchCount };
    return this.client.makeServerStreamRequest(path, requestSerialize, idsIn, request, this.metadata);
  }

  async close(): Promise<void> {
    this.client.close();
  }

  private method(name: string): MethodDefinition<object, object> {
    return this.service[name] as MethodDefinition<object, object>;
  }
}

/** Reads the field `ids`, packed `fixed64`, without an object or a string for each ID: the client shares the machine. */
function idsIn(message: Buffer): readonly bigint[] {
  const ids: bigint[] = [];
  for (let at = startOfIds(message); at < message.length; at += FIXED64_BYTES)
    ids.push(message.readBigUInt64LE(at));
  return ids;
}

/** The IDs follow the tag of the field and their length, a varint whose last byte is below 128. */
function startOfIds(message: Buffer): number {
  let at = 1;
  while ((message[at] ?? 0) >= 0x80) at += 1;
  return at + 1;
}
