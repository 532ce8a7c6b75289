import { createServer, type AddressInfo } from 'node:net';
import { connect, createConnection, disconnect, mongo } from 'mongoose';
import { createOrders, OrderModel } from './mongoose.js';
import { GIVEN } from './outcomes.js';
import { CUSTOMER, WORKER_ID, withIdMaker } from './session.js';

const QUERY = 2004;
const REPLY = 1;
const MESSAGE = 2013;
const DOCUMENTS = 1;
const HELLO = { ok: 1, isWritablePrimary: true, minWireVersion: 0, maxWireVersion: 25, helloOk: true };

const SMALL_ID = 4_398_046_511_104_001n;
/** What each query finds. */
const FOUND = [{ _id: BigInt(CUSTOMER) }, { _id: SMALL_ID }];

type Document = Record<string, unknown>;

/** The commands that the driver sent, with their documents. No MongoDB can be installed here, so this reads its wire protocol. */
let sent: Document[] = [];
/** Of each collection that was created. */
const validators: unknown[] = [];

const server = createServer((socket) => {
  let received = Buffer.alloc(0);
  socket.on('error', () => socket.destroy());
  socket.on('data', (data) => {
    received = Buffer.concat([received, data]);
    while (received.length >= 4 && received.length >= received.readInt32LE(0)) {
      const message = received.subarray(0, received.readInt32LE(0));
      received = received.subarray(message.length);
      const documents = message.readInt32LE(12) === MESSAGE ? documentsOf(message) : [];
      sent.push(...documents);
      validators.push(
        ...documents.filter(({ create }) => create).map(({ validator }) => validator ?? 'none'),
      );
      socket.write(replyTo(message, documents[0]));
    }
  });
});

/** Reads the sections of an OP_MSG: a kind, and the command, or a length, the name of a sequence and its documents. */
function documentsOf(message: Buffer): Document[] {
  const documents: Document[] = [];
  for (let at = 20; at < message.length;) {
    const kind = message[at++];
    const end = at + message.readInt32LE(at);
    if (kind === DOCUMENTS) at = message.indexOf(0, at + 4) + 1;
    for (; at < end; at += message.readInt32LE(at)) {
      const document = message.subarray(at, at + message.readInt32LE(at));
      documents.push(mongo.BSON.deserialize(document, { useBigInt64: true }));
    }
  }
  return documents;
}

function replyTo(message: Buffer, command: Document = {}): Buffer {
  const isQuery = message.readInt32LE(12) === QUERY;
  const cursor = { id: 0n, ns: 'shop.orders', firstBatch: FOUND };
  const body = mongo.BSON.serialize(command.find ? { ...HELLO, cursor } : HELLO);
  const head = Buffer.alloc(isQuery ? 36 : 21);
  head.writeInt32LE(head.length + body.length, 0);
  head.writeInt32LE(message.readInt32LE(4), 8);
  head.writeInt32LE(isQuery ? REPLY : MESSAGE, 12);
  if (isQuery) head.writeInt32LE(1, 32);
  return Buffer.concat([head, body]);
}

/** Returns the documents, replacements and updates of what was sent. A single one lies in its command. */
function writesIn(documents: readonly Document[]): Document[] {
  return documents
    .flatMap((document) => (document.documents ?? document.updates ?? [document]) as Document[])
    .map((document) => (document.u ?? document.update ?? document) as Document | string)
    .filter((write): write is Document => typeof write === 'object' && !('insert' in write));
}

/** Returns the key that a write would store. */
function keyIn(write: Document): unknown {
  const { _id: key } = (write.$setOnInsert ?? write) as Document;
  return key;
}

function originOf(key: unknown): string {
  if (key === undefined) return 'no ID sent';
  if (typeof key !== 'bigint') return (key as object).constructor.name;
  if (key === BigInt(GIVEN)) return 'kept';
  return Number((key >> 12n) & 1023n) === WORKER_ID ? 'filled' : `not ours: ${key}`;
}

const customerId = BigInt(CUSTOMER);
const row = () => ({ customerId });
const upsert = { upsert: true };
const paths: Record<string, () => PromiseLike<unknown>> = {
  create: () => OrderModel.create(row()),
  'create with an ID': () => OrderModel.create({ _id: BigInt(GIVEN), customerId }),
  insertMany: () => OrderModel.insertMany([row()]),
  'insertMany of one document': () => OrderModel.insertMany(row()),
  'insertMany of lean documents': () => OrderModel.insertMany([row()], { lean: true }),
  'insertMany of lean documents with an ID': () =>
    OrderModel.insertMany([{ _id: BigInt(GIVEN), customerId }], { lean: true }),
  'bulkWrite of insertOne': () => OrderModel.bulkWrite([{ insertOne: { document: row() as never } }]),
  'upsert by updateOne': () => OrderModel.updateOne(row(), row(), upsert),
  'upsert by findOneAndUpdate': () => OrderModel.findOneAndUpdate(row(), row(), upsert),
  'upsert by bulkWrite of updateOne': () =>
    OrderModel.bulkWrite([{ updateOne: { filter: row(), update: row(), upsert: true } }]),
  'upsert with setDefaultsOnInsert: false': () =>
    OrderModel.updateOne(row(), row(), { upsert: true, setDefaultsOnInsert: false }),
  'upsert by replaceOne': () => OrderModel.replaceOne(row(), row(), upsert),
  'upsert by findOneAndReplace': () => OrderModel.findOneAndReplace(row(), row(), upsert),
  'upsert by bulkWrite of replaceOne': () =>
    OrderModel.bulkWrite([{ replaceOne: { filter: row(), replacement: row(), upsert: true } }]),
  'insertOne of the collection': () => OrderModel.collection.insertOne(row()),
};

await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address() as AddressInfo;
const url = `mongodb://127.0.0.1:${port}/shop`;
const options = { directConnection: true, autoIndex: false };

/** Returns the types of the keys of lean documents. */
async function leanTypes(useBigInt64: boolean): Promise<string[]> {
  const connection = await createConnection(url, { ...options, useBigInt64 }).asPromise();
  try {
    const found = await connection.model('Order', OrderModel.schema).find().lean();
    return found.map(({ _id: id }) => (typeof id === 'object' ? (id as object).constructor.name : typeof id));
  } finally {
    await connection.close();
  }
}

await connect(url, options);
await withIdMaker(async () => {
  const outcomes: Record<string, string> = {};
  for (const [name, write] of Object.entries(paths)) {
    sent = [];
    // The replies are too short for some calls. What they sent counts.
    await write().then(undefined, () => undefined);
    outcomes[name] = writesIn(sent)
      .map((document) => originOf(keyIn(document)))
      .join(', ');
  }
  await createOrders();
  const lean = { byDefault: await leanTypes(false), asThePageSays: await leanTypes(true) };
  console.log(JSON.stringify({ outcomes, validators, lean }));
});
await disconnect();
server.close();
