import type {
  Commit,
  Entry,
  KeyRange,
  KeyValueConnection,
  KeyValuePort,
  KeyValueServer,
  Reading,
} from '../../libs/snowflake/src/stores/key-value/key-value-port.js';

/** Keys and values in the memory of a test, which decides the clock, the history and the position. */
export class MemoryKeyValues implements KeyValuePort, KeyValueConnection {
  readonly content = new Map<string, Entry>();
  server: KeyValueServer = { nowMs: 0, historyId: 'history 1', positionAtMost: 0n };
  /** Runs before each step: a test lets time pass here, or others write. */
  beforeStep: (step: keyof KeyValuePort) => Promise<void> = () => Promise.resolve();
  private commits = 0;

  port(): KeyValuePort {
    return this;
  }

  open(): void {}

  reconnect(): void {}

  async close(): Promise<void> {}

  async read(keys: readonly string[]): Promise<Reading> {
    await this.beforeStep('read');
    const found = keys.flatMap((key) => {
      const entry = this.content.get(key);
      return entry ? [[key, entry] as const] : [];
    });
    return { entries: new Map(found), server: this.server };
  }

  async keys(range: KeyRange): Promise<readonly string[]> {
    await this.beforeStep('keys');
    return this.within(range)
      .slice(0, range.limit)
      .map(([key]) => key);
  }

  async entries(range: KeyRange): Promise<ReadonlyMap<string, Entry>> {
    await this.beforeStep('entries');
    return new Map(this.within(range).slice(0, range.limit));
  }

  async outermost(range: KeyRange): Promise<ReadonlyMap<string, Entry>> {
    await this.beforeStep('outermost');
    const rising = this.within(range).sort(([, a], [, b]) => (a.value < b.value ? -1 : 1));
    return new Map([...rising.slice(0, range.limit), ...rising.slice(-1)]);
  }

  async positionAtLeast(): Promise<bigint | undefined> {
    return this.server.positionAtMost;
  }

  async commit({ conditions, puts }: Commit): Promise<boolean> {
    await this.beforeStep('commit');
    for (const [key, version] of conditions) {
      if (this.content.get(key)?.version !== version) return false;
    }
    this.put(puts);
    return true;
  }

  /** Writes without conditions, as an operator does. */
  put(puts: ReadonlyMap<string, string>): void {
    const version = String((this.commits += 1));
    for (const [key, value] of puts) this.content.set(key, { value, version, commit: version });
  }

  private within({ first, before }: KeyRange): [string, Entry][] {
    return [...this.content]
      .filter(([key]) => key >= first && key < before)
      .sort(([a], [b]) => (a < b ? -1 : 1));
  }
}
