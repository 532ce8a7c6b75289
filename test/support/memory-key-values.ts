import type {
  Commit,
  Entry,
  KeyRange,
  KeyValueConnection,
  KeyValuePort,
  KeyValueServer,
  Reading,
  ServerMarks,
} from '../../libs/snowflake-coordination/src/key-value/key-value-port.js';

/** Keys and values as a server of one's own keeps them. Each method is one atomic step. */
export class KeyValueContent {
  private commits = 0;

  constructor(readonly entries = new Map<string, Entry>()) {}

  copy(): KeyValueContent {
    const copy = new KeyValueContent(new Map(this.entries));
    copy.commits = this.commits;
    return copy;
  }

  wipe(): void {
    this.entries.clear();
  }

  read(keys: readonly string[]): Map<string, Entry> {
    return new Map([...this.entries].filter(([key]) => keys.includes(key)));
  }

  within({ first, before }: KeyRange): [string, Entry][] {
    return [...this.entries]
      .filter(([key]) => key >= first && key < before)
      .sort(([a], [b]) => (a < b ? -1 : 1));
  }

  outermost(range: KeyRange, limit: number): Map<string, Entry> {
    const rising = this.within(range).sort(([, a], [, b]) => (a.value < b.value ? -1 : 1));
    return new Map([...rising.slice(0, limit), ...rising.slice(-1)]);
  }

  commit({ conditions, puts }: Commit): boolean {
    for (const [key, version] of conditions) {
      if (this.entries.get(key)?.version !== version) return false;
    }
    this.put(puts);
    return true;
  }

  /** Writes without conditions, as an operator does. */
  put(puts: ReadonlyMap<string, string>): void {
    const version = String((this.commits += 1));
    for (const [key, value] of puts) this.entries.set(key, { value, version, commit: version });
  }
}

/** Keys and values in the memory of a test, which decides the clock, the history and the position. */
export class MemoryKeyValues implements KeyValuePort, KeyValueConnection {
  readonly content = new KeyValueContent();
  server: KeyValueServer = { nowMs: 0, historyId: 'history 1', positionAtMost: 0n };
  /** Runs before each step: a test lets time pass here, or others write. */
  beforeStep: (step: keyof KeyValuePort) => Promise<void> = () => Promise.resolve();

  port(): KeyValuePort {
    return this;
  }

  open(): void {}

  reconnect(): void {}

  async close(): Promise<void> {}

  async read(keys: readonly string[], lastOf?: KeyRange): Promise<Reading> {
    await this.beforeStep('read');
    const lastKey = lastOf && this.content.within(lastOf).at(-1)?.[0];
    return { entries: this.content.read(keys), lastKey, server: this.server };
  }

  async entry(key: string): Promise<Entry | undefined> {
    await this.beforeStep('entry');
    return this.content.entries.get(key);
  }

  async entries(range: KeyRange, limit: number): Promise<ReadonlyMap<string, Entry>> {
    await this.beforeStep('entries');
    return new Map(this.content.within(range).slice(0, limit));
  }

  async outermost(range: KeyRange, limit: number): Promise<ReadonlyMap<string, Entry>> {
    await this.beforeStep('outermost');
    return this.content.outermost(range, limit);
  }

  async marks(): Promise<ServerMarks> {
    const { positionAtMost, ledSince } = this.server;
    return { positionAtLeast: positionAtMost, ledSince };
  }

  async commit(changes: Commit): Promise<boolean> {
    await this.beforeStep('commit');
    return this.content.commit(changes);
  }
}
