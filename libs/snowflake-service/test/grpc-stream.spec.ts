import { type ClientReadableStream, status } from '@grpc/grpc-js';
import { SnowflakeIdMaker } from 'nestjs-snowflake';
import { type GrpcApp, startGrpc } from './grpc-app.js';
import type { Message } from './grpc-client.js';

const MAKE = 'snowflake.v1.IdService.MakeIds';
const STREAM = 'snowflake.v1.IdService.StreamIds';
const BATCH_SIZE = 1000;
/** What HTTP/2 buffers between the service and a client that doesn't read, in IDs. */
const MOST_AHEAD = 30_000;
const MANY = 100_000;

/** Makes the service do other work, so that a stream that could go on would do so. */
async function otherCalls({ client }: GrpcApp): Promise<number> {
  for (let call = 0; call < 50; call += 1) await client.call(MAKE, {});
  return 50;
}

/** Reads one batch, and no more: a client of @grpc/grpc-js that has not begun to read takes everything that comes. */
function firstBatch(stream: ClientReadableStream<Message>): Promise<void> {
  return new Promise((resolve) => {
    stream.once('data', () => {
      stream.pause();
      resolve();
    });
  });
}

describe('a stream of IDs over gRPC', () => {
  let service: GrpcApp;
  let isAdmitted: boolean;
  const issued = (): number => service.app.get(SnowflakeIdMaker).status().issued;

  beforeEach(async () => {
    isAdmitted = true;
    service = await startGrpc({ service: { authorize: () => isAdmitted, drainTimeoutMs: 300 } });
  });
  afterEach(() => service.stop());

  it('generates no IDs for which the client has no room', async () => {
    const stream = service.client.stream(STREAM, { batchSize: BATCH_SIZE });
    stream.on('error', () => undefined);
    await firstBatch(stream);
    const others = await otherCalls(service);
    expect(issued() - others).toBeLessThan(MOST_AHEAD);
    stream.cancel();
  });

  it('goes on for a client that reads (control)', async () => {
    let received = 0;
    const batchCount = MANY / BATCH_SIZE;
    for await (const { ids } of service.client.stream(STREAM, { batchSize: BATCH_SIZE, batchCount }))
      received += (ids as string[]).length;
    expect(received).toBe(MANY);
  });

  it('generates no more IDs when the client has ended the call', async () => {
    const stream = service.client.stream(STREAM, { batchSize: BATCH_SIZE });
    stream.on('error', () => undefined);
    await firstBatch(stream);
    stream.cancel();
    await otherCalls(service);
    const before = issued();
    const others = await otherCalls(service);
    expect(issued()).toBe(before + others);
  });

  it('ends when its client may have no more IDs', async () => {
    const stream = service.client.stream(STREAM, { batchSize: BATCH_SIZE });
    const received: Message[] = [];
    const ended = (async (): Promise<void> => {
      for await (const batch of stream) {
        received.push(batch as Message);
        isAdmitted = false;
      }
    })();
    await expect(ended).rejects.toMatchObject({ code: status.PERMISSION_DENIED });
    expect(received).not.toEqual([]);
  });

  it('ends when the app shuts down, and tells the client to ask again', async () => {
    const stream = service.client.stream(STREAM, { batchSize: BATCH_SIZE });
    let closing: Promise<void> | undefined;
    const ended = (async (): Promise<void> => {
      for await (const _ of stream) closing ??= service.app.close();
    })();
    await expect(ended).rejects.toMatchObject({ code: status.UNAVAILABLE });
    await closing;
  });

  it('does not keep an app running whose client stops reading', async () => {
    const stream = service.client.stream(STREAM, { batchSize: BATCH_SIZE });
    const ended = new Promise((resolve) => stream.once('error', resolve));
    await firstBatch(stream);
    await expect(service.app.close()).resolves.toBeUndefined();
    stream.resume();
    await ended;
  });
});
