import { type CallDeadline, StoreRejectedError, StoreUnavailableError } from 'nestjs-snowflake/store';
import {
  type Commit,
  type Entry,
  type KeyRange,
  type KeyValuePort,
  Overtaken,
  type Reading,
  type ServerMarks,
} from '../key-value/key-value-port.js';
import { ROWS } from '../key-value/row-format.js';
import {
  atomically,
  check,
  children,
  create,
  nodes,
  type PartResult,
  readChildren,
  readParts,
  readStat,
  sync,
  write,
  ZK,
  type ZooReply,
  type ZooRequest,
} from './messages.js';
import type { Pin, ZookeeperClient } from './zookeeper-client.js';
import type { ZookeeperSettings } from './zookeeper-options.js';

/** Written to learn the epoch and the clock of the leader. */
export const CLOCK_KEY = 'clock';
const ROWS_NODE = ROWS.replace('/', '');
/** The history of a server without an ensemble. */
export const STANDALONE = historyOf(0n);
/** The upper half of a transaction ID is the epoch of the leader. */
const EPOCH_SHIFT = 32n;

/** The namespace on an ensemble. */
export interface ZookeeperPlace {
  readonly client: ZookeeperClient;
  readonly settings: ZookeeperSettings;
}

/**
 * One attempt on ZooKeeper. A server may lag behind its leader: `sync` has it catch up, and the write that follows the reading proves
 * that the leader still had a majority. A leader may answer a moment before it has applied what it has acknowledged: what a call has read too
 * early fails on the conditions of its write.
 *
 * The history is the epoch of the leader. To serve, an ensemble that goes on with older data elects a leader, whose epoch is higher than
 * any that the data holds.
 */
export class ZookeeperPort implements KeyValuePort {
  private readonly pin: Pin = {};
  private readonly existing = new Set<string>();

  constructor(
    private readonly place: ZookeeperPlace,
    private readonly deadline: CallDeadline,
  ) {}

  async read(keys: readonly string[], lastOf?: KeyRange): Promise<Reading> {
    const touch = write(this.path(CLOCK_KEY), '', undefined);
    const rows = lastOf ? [children(this.path(ROWS_NODE))] : [];
    const requests = [sync(this.root), nodes(keys.map((key) => this.path(key))), touch, ...rows];
    let [synced, reading, touched, listed] = await this.exchange(requests);
    if (touched?.error === ZK.noNode) {
      await this.createParents();
      [synced, reading, touched, listed] = await this.exchange(requests);
    }
    this.succeeded(synced);
    const { changedMs, zxid } = readStat(this.succeeded(touched).body);
    const epoch = zxid >> EPOCH_SHIFT;
    if (epoch === 0n && !this.place.settings.assumeNoLostWrites) throw this.place.client.refusesStandalone();
    return {
      entries: this.entriesOf(keys, readParts(this.succeeded(reading).body)),
      lastKey: lastOf && this.keysOf(listed, lastOf).at(-1),
      server: { nowMs: changedMs, historyId: historyOf(epoch), positionAtMost: undefined },
    };
  }

  async entry(key: string): Promise<Entry | undefined> {
    const [synced, reading] = await this.exchange([sync(this.root), nodes([this.path(key)])]);
    this.succeeded(synced);
    return this.entriesOf([key], readParts(this.succeeded(reading).body)).get(key);
  }

  async entries(range: KeyRange, limit: number): Promise<ReadonlyMap<string, Entry>> {
    return this.entriesAt((await this.keysIn(range)).slice(0, limit));
  }

  async outermost(range: KeyRange, limit: number): Promise<ReadonlyMap<string, Entry>> {
    const all = [...(await this.entriesAt(await this.keysIn(range)))];
    const rising = all.sort(([, a], [, b]) => (a.value < b.value ? -1 : 1));
    return new Map([...rising.slice(0, limit), ...rising.slice(-1)]);
  }

  /** A search of a call, or a page, has about a thousand rows: one request may have 1 MiB. */
  private async entriesAt(keys: readonly string[]): Promise<ReadonlyMap<string, Entry>> {
    if (keys.length === 0) return new Map();
    const [reply] = await this.exchange([nodes(keys.map((key) => this.path(key)))]);
    return this.entriesOf(keys, readParts(this.succeeded(reply).body));
  }

  /** ZooKeeper has none: after older data are put back, its transactions have the IDs that they would have had. */
  async marks(): Promise<ServerMarks> {
    return {};
  }

  async commit({ conditions, puts }: Commit): Promise<boolean> {
    const { owner } = this;
    const requests = [...puts].map(([key, value]) => {
      const version = conditions.get(key);
      const mustBeNew = conditions.has(key) && version === undefined;
      return mustBeNew || (version === undefined && !this.existing.has(key))
        ? create(this.path(key), value, owner)
        : write(this.path(key), value, version === undefined ? undefined : Number(version));
    });
    const checks = [...conditions].flatMap(([key, version]) =>
      puts.has(key) ? [] : [this.checked(key, version)],
    );
    const [reply] = await this.exchange([atomically([...checks, ...requests])]);
    const errors = readParts(this.succeeded(reply).body).map(({ error }) => error);
    const error = errors.find((each) => each !== ZK.ok && each !== ZK.notExecuted);
    if (error === undefined && !errors.includes(ZK.notExecuted)) return true;
    if (error === ZK.badVersion || error === ZK.exists || error === ZK.noNode) return false;
    throw this.refused(error);
  }

  private checked(key: string, version: string | undefined): ZooRequest {
    if (version === undefined) throw new RangeError(`ZooKeeper can't check that ${key} does not exist`);
    return check(this.path(key), Number(version));
  }

  /** Nodes that exist, or above which the user has no right to create one, only matter if the last one fails. */
  private async createParents(): Promise<void> {
    const names = this.root.slice(1).split('/');
    const parents = names.map((_, index) => `/${names.slice(0, index + 1).join('/')}`);
    const paths = [...parents, this.path(ROWS_NODE), this.path(CLOCK_KEY)];
    const replies = await this.exchange(paths.map((path) => create(path, '', this.owner)));
    const { error = ZK.ok } = replies.at(-1) ?? {};
    if (error === ZK.noNode) throw this.refused(ZK.noRight);
    if (error !== ZK.ok && error !== ZK.exists) throw this.refused(error);
  }

  private entriesOf(keys: readonly string[], results: readonly PartResult[]): Map<string, Entry> {
    const entries = new Map<string, Entry>();
    for (const [index, { error, node }] of results.entries()) {
      const key = keys[index];
      if (key === undefined || (!node && error !== ZK.noNode)) throw this.refused(error);
      if (!node) continue;
      const { version, zxid } = node.stat;
      this.existing.add(key);
      entries.set(key, { value: node.value, version: String(version), commit: String(zxid) });
    }
    return entries;
  }

  private async keysIn(range: KeyRange): Promise<readonly string[]> {
    const [reply] = await this.exchange([children(this.path(ROWS_NODE))]);
    return this.keysOf(reply, range);
  }

  private keysOf(reply: ZooReply | undefined, { first, before }: KeyRange): string[] {
    if (reply?.error === ZK.noNode) throw new Overtaken();
    const keys = readChildren(this.succeeded(reply).body).map((name) => `${ROWS}${name}`);
    return keys.filter((key) => key >= first && key < before).sort();
  }

  private exchange(requests: readonly ZooRequest[]): Promise<ZooReply[]> {
    return this.place.client.exchange(requests, this.deadline, this.pin);
  }

  private succeeded(reply: ZooReply | undefined): ZooReply {
    if (reply?.error === ZK.ok) return reply;
    throw this.refused(reply?.error);
  }

  private refused(error: number | undefined): Error {
    const { description } = this.place.client;
    if (error === ZK.noRight || error === ZK.notAuthenticated) {
      const { user } = this.place.settings;
      const as = user ? ` (user "${user.name}")` : '';
      return new StoreRejectedError(
        `${description} refuses this client${as}. Give it the rights to read, write and create (rwc) at ${this.root} and all nodes below it. ` +
          'Nodes belong to the user that created them.',
      );
    }
    if (error === ZK.unimplemented) {
      return new StoreRejectedError(`${description} needs ZooKeeper 3.6 or later on all servers.`);
    }
    return new StoreUnavailableError(`${description} is unavailable: ZooKeeper answered ${error}.`);
  }

  private path(key: string): string {
    return `${this.root}/${key}`;
  }

  private get root(): string {
    return this.place.settings.root;
  }

  private get owner(): 'creator' | 'everybody' {
    return this.place.settings.user ? 'creator' : 'everybody';
  }
}

function historyOf(epoch: bigint): string {
  return `epoch ${epoch}`;
}
