import { type JuteReader, JuteWriter } from './jute.js';

/** Errors of ZooKeeper that the store knows what to do about. */
export const ZK = {
  ok: 0,
  notExecuted: -2,
  unimplemented: -6,
  noNode: -101,
  noRight: -102,
  badVersion: -103,
  exists: -110,
  notAuthenticated: -115,
} as const;

const OP = {
  create: 1,
  getData: 4,
  setData: 5,
  getChildren: 8,
  sync: 9,
  check: 13,
  multi: 14,
  multiRead: 22,
  authenticate: 100,
  close: -11,
} as const;

/** A kind of request, and its body. */
export interface ZooRequest {
  readonly op: number;
  readonly body: Buffer;
}

/** A reply: an error or 0, and, without an error, a body. */
export interface ZooReply {
  readonly error: number;
  readonly body: JuteReader;
}

/** What ZooKeeper reports about the last write of a node. */
export interface Stat {
  /** The transaction: the epoch of the leader in its upper 32 bits. */
  readonly zxid: bigint;
  /** The leader's clock, Unix milliseconds. */
  readonly changedMs: number;
  /** Counts the writes. 0 after the node was created. */
  readonly version: number;
}

/** One result of several requests that were sent as one. */
export interface PartResult {
  readonly error: number;
  readonly node?: { readonly value: string; readonly stat: Stat };
}

/** Who may do what with a node that a store creates: everybody, or the user that creates it. */
export type Owner = 'everybody' | 'creator';

const ALL_RIGHTS = 31;
const PERSISTENT = 0;
const NO_PASSWORD = Buffer.alloc(16);

/** The first message on a connection. A server that was rolled back would refuse a client that shows what it has seen. */
export function connectMessage(sessionMs: number): Buffer {
  return new JuteWriter().int(0).long(0n).int(sessionMs).long(0n).bytes(NO_PASSWORD).bool(false).frame();
}

/** @param password the digest scheme needs it in clear text */
export function authenticate(name: string, password: string): ZooRequest {
  const body = new JuteWriter().int(0).text('digest').text(`${name}:${password}`).done();
  return { op: OP.authenticate, body };
}

export const CLOSE: ZooRequest = { op: OP.close, body: Buffer.alloc(0) };

/** Waits until this server has applied what its leader had committed. */
export function sync(path: string): ZooRequest {
  return { op: OP.sync, body: new JuteWriter().text(path).done() };
}

export function children(path: string): ZooRequest {
  return { op: OP.getChildren, body: new JuteWriter().text(path).bool(false).done() };
}

export function create(path: string, value: string, owner: Owner): ZooRequest {
  const [scheme, id] = owner === 'creator' ? ['auth', ''] : ['world', 'anyone'];
  const writer = new JuteWriter().text(path).text(value).int(1).int(ALL_RIGHTS).text(scheme).text(id);
  return { op: OP.create, body: writer.int(PERSISTENT).done() };
}

/** @param version what the node must have; `undefined` writes whatever it has */
export function write(path: string, value: string, version: number | undefined): ZooRequest {
  // 0 is the version of a new node. Only -1 means any.
  return {
    op: OP.setData,
    body: new JuteWriter()
      .text(path)
      .text(value)
      .int(version ?? -1)
      .done(),
  };
}

export function check(path: string, version: number): ZooRequest {
  return { op: OP.check, body: new JuteWriter().text(path).int(version).done() };
}

/** Executes all requests, or none. */
export function atomically(requests: readonly ZooRequest[]): ZooRequest {
  return { op: OP.multi, body: parts(requests) };
}

/** Reads nodes one after the other. Needs ZooKeeper 3.6. */
export function nodes(paths: readonly string[]): ZooRequest {
  const reads = paths.map((path) => ({
    op: OP.getData,
    body: new JuteWriter().text(path).bool(false).done(),
  }));
  return { op: OP.multiRead, body: parts(reads) };
}

/** Reads the stat of a write. */
export function readStat(body: JuteReader): Stat {
  body.skip(8);
  const zxid = body.long();
  body.skip(8);
  const changedMs = Number(body.long());
  const version = body.int();
  // Counters of children and rights, the owner, the length, the count of children, their last transaction.
  body.skip(32);
  return { zxid, changedMs, version };
}

/** Reads the results of {@link atomically} and {@link nodes}, in the order of the requests. */
export function readParts(body: JuteReader): PartResult[] {
  const results: PartResult[] = [];
  for (;;) {
    const op = body.int();
    const isEnd = body.bool();
    body.int();
    if (isEnd) return results;
    results.push(readPart(op, body));
  }
}

export function readChildren(body: JuteReader): string[] {
  return body.list(() => body.text());
}

function readPart(op: number, body: JuteReader): PartResult {
  switch (op) {
    case OP.getData: {
      const value = body.text();
      return { error: ZK.ok, node: { value, stat: readStat(body) } };
    }
    case OP.setData:
      readStat(body);
      return { error: ZK.ok };
    case OP.create:
      body.text();
      return { error: ZK.ok };
    case OP.check:
      return { error: ZK.ok };
    default:
      return { error: body.int() };
  }
}

function parts(requests: readonly ZooRequest[]): Buffer {
  const writer = new JuteWriter();
  for (const { op, body } of requests) writer.int(op).bool(false).int(-1).add(body);
  return writer.int(-1).bool(true).int(-1).done();
}
