import { type CallDeadline, StoreRejectedError, StoreUnavailableError } from 'nestjs-snowflake/store';
import {
  type Commit,
  type Entry,
  type KeyRange,
  type KeyValuePort,
  type KeyValueServer,
  type LedSince,
  Overtaken,
  type Reading,
  type ServerMarks,
} from '../key-value/key-value-port.js';
import { type EtcdClient, type EtcdReply, Refused } from './etcd-client.js';
import { alreadyExists, isForbidden } from './etcd-errors.js';
import type { Pin } from './http-lines.js';

/** What a member reports about its log. Indexes and revisions have 64 bits. */
interface LogStatus {
  readonly committed: bigint;
  readonly applied: bigint;
  readonly revision: bigint;
}

interface EtcdHeader {
  readonly clusterId: string;
  /** The member that answers. */
  readonly memberId: string;
  readonly term: string;
  readonly revision: bigint;
}

/** What a reading shows of its server, apart from its clock and its history. */
type ShownMarks = Pick<KeyValueServer, 'positionAtMost' | 'ledSince'>;

interface Shown {
  /** Names the member, its cluster and term, and the header that it has. */
  readonly by: string;
  readonly socket: Pin['socket'];
  readonly marks: ShownMarks;
}

/** The namespace on a server. */
export interface EtcdPlace {
  readonly client: EtcdClient;
  readonly prefix: string;
}

const ALL_DIGITS = /^\d{1,20}$/;

/**
 * A lease of etcd to which no key belongs. It is granted once per cluster and never renewed: its age is how long the leader has led, or
 * how long ago it was granted. `etcdctl lease list` shows the bytes of "snowflak".
 */
const CLOCK_LEASE = String(0x736e_6f77_666c_616bn);
/** The longest lease of etcd, 285 years. */
const CLOCK_LEASE_SECONDS = 9_000_000_000;
/** A leader adds its election timeout to all leases, which is at most 50 s. */
const LONGEST_ELECTION_SECONDS = 60;

/**
 * One attempt on etcd. All readings are linearizable, which is the default of etcd.
 *
 * The history has the ID of the cluster and the term of its log: to serve, a log that was put back needs an election, and so a higher
 * term than any that it holds. A snapshot that is restored begins a new log, which can have an equal term. It shows by two marks:
 *
 * - the position, which is the number of entries of the log that made no revision. It only grows within a log, and is far too low at
 *   first in a new one. Other clients can let it grow back.
 * - since when the leader has led. Only the leader's memory holds that, so no snapshot can bring it back, and no entry.
 */
export class EtcdPort implements KeyValuePort {
  private readonly pin: Pin = {};
  private clusterId: string | undefined;
  /** What the server has shown of itself, and to whom. */
  private shown: Shown | undefined;

  /** @param previous the attempt before, of the same call */
  constructor(
    private readonly place: EtcdPlace,
    private readonly deadline: CallDeadline,
    private readonly previous?: EtcdPort,
  ) {}

  async read(keys: readonly string[], lastOf?: KeyRange): Promise<Reading> {
    const success = [
      ...keys.map((key) => ({ request_range: { key: this.encoded(key) } })),
      ...(lastOf ? [{ request_range: this.lastKeyOf(lastOf) }] : []),
    ];
    const asked = this.previous?.shown ? undefined : this.marksOfServer();
    // The transaction may fail first.
    asked?.catch(() => undefined);
    const reply = await this.call('kv/txn', { success });
    const { clusterId, term, memberId } = this.header(reply);
    const ranges = rangesIn(reply).map((range) => this.entriesIn(range));
    const lastKey = lastOf ? ranges.pop()?.[0]?.[0] : undefined;
    const entries = new Map(ranges.flat());
    const by = JSON.stringify([clusterId, term, memberId, entries.get(keys[0] ?? '')?.version]);
    const marks = asked ? await asked : await this.marksSince(by);
    this.shown = { by, socket: this.pin.socket, marks };
    const server = { nowMs: this.clock(reply), historyId: `${clusterId}/${term}`, ...marks };
    return { entries, lastKey, server };
  }

  /**
   * Returns the marks of the attempt before if nothing has changed since: the same run of the same member answers under the same leader, and
   * nobody has written the header, whose own marks could be later.
   */
  private async marksSince(by: string): Promise<ShownMarks> {
    const shown = this.previous?.shown;
    const isSame = shown?.by === by && shown.socket !== undefined && shown.socket === this.pin.socket;
    return isSame ? shown.marks : this.marksOfServer();
  }

  private async marksOfServer(): Promise<ShownMarks> {
    const [status, { ledSince }] = await Promise.all([this.logStatus(), this.leader()]);
    return { positionAtMost: status && status.committed - status.revision, ledSince };
  }

  private lastKeyOf(range: KeyRange): object {
    return { ...this.bounds(range, 1), keys_only: true, sort_target: 'KEY', sort_order: 'DESCEND' };
  }

  async entry(key: string): Promise<Entry | undefined> {
    const reply = await this.call('kv/range', { key: this.encoded(key) });
    this.header(reply);
    return this.entriesIn(reply.result)[0]?.[1];
  }

  async entries(range: KeyRange, limit: number): Promise<ReadonlyMap<string, Entry>> {
    const reply = await this.call('kv/range', this.bounds(range, limit));
    this.header(reply);
    return new Map(this.entriesIn(reply.result));
  }

  async outermost(range: KeyRange, limit: number): Promise<ReadonlyMap<string, Entry>> {
    const sorted = (order: 'ASCEND' | 'DESCEND', count: number) => ({
      request_range: { ...this.bounds(range, count), sort_target: 'VALUE', sort_order: order },
    });
    const reply = await this.call('kv/txn', { success: [sorted('ASCEND', limit), sorted('DESCEND', 1)] });
    this.header(reply);
    return new Map(rangesIn(reply).flatMap((each) => this.entriesIn(each)));
  }

  async marks(): Promise<ServerMarks> {
    const positionAtLeast = await this.positionAtLeast();
    let leader = await this.leader();
    if (!leader.isKnown) {
      await this.startLeaderClock();
      leader = await this.leader();
    }
    return { positionAtLeast, ledSince: leader.ledSince };
  }

  /** The log is at least as long as it was before the revision was read. */
  private async positionAtLeast(): Promise<bigint | undefined> {
    const status = await this.logStatus();
    if (!status) return undefined;
    const reply = await this.call('kv/range', { key: this.encoded(''), count_only: true });
    return status.applied - this.header(reply).revision;
  }

  async commit({ conditions, puts }: Commit): Promise<boolean> {
    const compare = [...conditions].map(([key, version = '0']) => ({
      key: this.encoded(key),
      target: 'MOD',
      result: 'EQUAL',
      mod_revision: version,
    }));
    const success = [...puts].map(([key, value]) => ({
      request_put: { key: this.encoded(key), value: base64(value) },
    }));
    const reply = await this.call('kv/txn', { compare, success });
    this.header(reply);
    return reply.result['succeeded'] === true;
  }

  /** Asks a member for its log; `undefined` if it doesn't show it: some versions show it to the root user only. */
  private async logStatus(): Promise<LogStatus | undefined> {
    const { client } = this.place;
    try {
      const reply = await client.call('maintenance/status', {}, this.deadline);
      const { revision } = this.header(reply);
      const { raftIndex, raftAppliedIndex } = reply.result;
      return { committed: this.integer(raftIndex), applied: this.integer(raftAppliedIndex), revision };
    } catch (error) {
      if (error instanceof Refused && isForbidden(error.refusal)) return undefined;
      throw client.asStoreError(error);
    }
  }

  /**
   * Asks the leader, through any member and on any connection, for the age of the {@link CLOCK_LEASE}. If there is none, the leader is known only since now.
   *
   * @throws Overtaken while a leader takes over, which counts no time yet
   */
  private async leader(): Promise<{ readonly isKnown: boolean; readonly ledSince: LedSince }> {
    const reply = await this.send('lease/timetolive', { ID: CLOCK_LEASE });
    const { memberId: clock } = this.header(reply);
    const nowMs = this.clock(reply);
    if (reply.result['TTL'] === '-1') return { isKnown: false, ledSince: { ms: nowMs, clock } };
    const { TTL: left, grantedTTL: granted } = reply.result;
    const ageSeconds = Number(this.integer(granted) - this.integer(left));
    if (ageSeconds < -LONGEST_ELECTION_SECONDS) throw new Overtaken();
    return { isKnown: true, ledSince: { ms: nowMs - ageSeconds * 1000, clock } };
  }

  private async startLeaderClock(): Promise<void> {
    const { client } = this.place;
    try {
      await client.call(
        'lease/grant',
        { ID: CLOCK_LEASE, TTL: CLOCK_LEASE_SECONDS },
        this.deadline,
        this.pin,
      );
    } catch (error) {
      if (!(error instanceof Refused) || !alreadyExists(error.refusal)) throw client.asStoreError(error);
    }
  }

  /** Calls a method on the connection that the attempt keeps to. */
  private call(method: string, body: object): Promise<EtcdReply> {
    return this.send(method, body, this.pin);
  }

  private async send(method: string, body: object, pin?: Pin): Promise<EtcdReply> {
    const { client } = this.place;
    try {
      return await client.call(method, body, this.deadline, pin);
    } catch (error) {
      throw client.asStoreError(error);
    }
  }

  /** Reads the header of a reply. @throws StoreUnavailableError if two clusters answer */
  private header({ result }: EtcdReply): EtcdHeader {
    const header = fieldsOf(result['header']);
    const { cluster_id: clusterId, member_id: memberId, raft_term: term } = header;
    if (typeof clusterId !== 'string' || typeof memberId !== 'string' || typeof term !== 'string')
      throw this.notEtcd('the header of a reply');
    this.clusterId ??= clusterId;
    if (this.clusterId !== clusterId) {
      throw new StoreUnavailableError(
        `${this.description} is unavailable: replies came from two clusters, ${this.clusterId} and ${clusterId}.`,
      );
    }
    return { clusterId, memberId, term, revision: this.integer(header['revision']) };
  }

  private clock({ date }: EtcdReply): number {
    const nowMs = Date.parse(date ?? '');
    if (Number.isSafeInteger(nowMs)) return nowMs;
    throw new StoreRejectedError(
      `${this.description} shows no clock: its replies have no readable Date header. Connect to etcd directly, or let the proxy pass the header.`,
    );
  }

  private integer(value: unknown = '0'): bigint {
    if (typeof value === 'string' && ALL_DIGITS.test(value)) return BigInt(value);
    throw this.notEtcd('a number of a reply');
  }

  private notEtcd(what: string): StoreRejectedError {
    return new StoreRejectedError(
      `${this.description} can't read ${what}: this is not the JSON gateway of etcd. Correct the address.`,
    );
  }

  private entriesIn(range: Readonly<Record<string, unknown>>): [string, Entry][] {
    const entries = Array.isArray(range['kvs']) ? (range['kvs'] as readonly unknown[]) : [];
    return entries.map((entry) => {
      const { key, value = '', mod_revision: version } = fieldsOf(entry);
      if (typeof key !== 'string' || typeof value !== 'string' || typeof version !== 'string') {
        throw this.notEtcd('an entry of a reply');
      }
      const name = Buffer.from(key, 'base64').toString().slice(this.place.prefix.length);
      return [name, { value: Buffer.from(value, 'base64').toString(), version, commit: version }];
    });
  }

  private bounds({ first, before }: KeyRange, limit: number): object {
    return { key: this.encoded(first), range_end: this.encoded(before), limit };
  }

  private encoded(key: string): string {
    return base64(`${this.place.prefix}${key}`);
  }

  private get description(): string {
    return this.place.client.description;
  }
}

function rangesIn({ result }: EtcdReply): Readonly<Record<string, unknown>>[] {
  const responses = Array.isArray(result['responses']) ? (result['responses'] as readonly unknown[]) : [];
  return responses.map((response) => fieldsOf(fieldsOf(response)['response_range']));
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
