import { createServer, type AddressInfo } from 'node:net';
import { connect, disconnect, mongo } from 'mongoose';
import { OrderModel } from './mongoose.js';
import { CUSTOMER, report } from './session.js';

const QUERY = 2004;
const REPLY = 1;
const MESSAGE = 2013;
const DOCUMENTS = 1;
const HELLO = { ok: 1, isWritablePrimary: true, minWireVersion: 0, maxWireVersion: 25, helloOk: true };

/** What the driver sent to be stored. No MongoDB can be installed here, so this reads its wire protocol. */
const sent: Record<string, unknown>[] = [];

const server = createServer((socket) => {
  let received = Buffer.alloc(0);
  socket.on('error', () => socket.destroy());
  socket.on('data', (data) => {
    received = Buffer.concat([received, data]);
    while (received.length >= 4 && received.length >= received.readInt32LE(0)) {
      const message = received.subarray(0, received.readInt32LE(0));
      received = received.subarray(message.length);
      if (message.readInt32LE(12) === MESSAGE) keepDocuments(message);
      socket.write(replyTo(message));
    }
  });
});

/** Reads the sections of an OP_MSG: a kind, a length, and in a sequence of documents its name and the documents. */
function keepDocuments(message: Buffer): void {
  for (let at = 20; at < message.length;) {
    const kind = message[at++];
    const end = at + message.readInt32LE(at);
    if (kind === DOCUMENTS) {
      for (let document = message.indexOf(0, at + 4) + 1; document < end;) {
        const next = document + message.readInt32LE(document);
        sent.push(mongo.BSON.deserialize(message.subarray(document, next), { useBigInt64: true }));
        document = next;
      }
    }
    at = end;
  }
}

function replyTo(message: Buffer): Buffer {
  const isQuery = message.readInt32LE(12) === QUERY;
  const body = mongo.BSON.serialize(HELLO);
  const head = Buffer.alloc(isQuery ? 36 : 21);
  head.writeInt32LE(head.length + body.length, 0);
  head.writeInt32LE(message.readInt32LE(4), 8);
  head.writeInt32LE(isQuery ? REPLY : MESSAGE, 12);
  if (isQuery) head.writeInt32LE(1, 32);
  return Buffer.concat([head, body]);
}

await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address() as AddressInfo;
await connect(`mongodb://127.0.0.1:${port}/shop`, {
  directConnection: true,
  autoCreate: false,
  autoIndex: false,
});
await report(async () => {
  await OrderModel.insertMany([{ customerId: BigInt(CUSTOMER) }], { lean: true });
  const [{ _id: id, customerId } = {}] = sent;
  const stored = [id, customerId] as const;
  return { created: stored, read: stored };
});
await disconnect();
server.close();
