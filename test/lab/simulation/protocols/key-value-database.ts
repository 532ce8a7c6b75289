import type { Database } from '../store-server.js';

interface ExpiringValue {
  readonly value: string;
  readonly expiresAtMs: number;
}

/** As much of Redis as the compared protocols use: one counter, expiring keys, one sorted set. */
export class KeyValueDatabase implements Database {
  counter = 0;
  readonly keys = new Map<string, ExpiringValue>();
  /** Member → score. */
  readonly sorted = new Map<number, number>();
  /** Member → who added it last. */
  readonly owners = new Map<number, string>();

  copy(): KeyValueDatabase {
    const copy = new KeyValueDatabase();
    copy.counter = this.counter;
    for (const [key, value] of this.keys) copy.keys.set(key, value);
    for (const [member, score] of this.sorted) copy.sorted.set(member, score);
    for (const [member, owner] of this.owners) copy.owners.set(member, owner);
    return copy;
  }

  wipe(): void {
    this.counter = 0;
    this.keys.clear();
    this.sorted.clear();
    this.owners.clear();
  }

  /** The value of a key that has not expired. */
  get(key: string, nowMs: number): string | undefined {
    const stored = this.keys.get(key);
    return stored && stored.expiresAtMs > nowMs ? stored.value : undefined;
  }

  /** The member with the lowest score, if that is at most `highest`. */
  lowest(highest: number): number | undefined {
    let found: number | undefined;
    let lowest = highest;
    for (const [member, score] of this.sorted) {
      if (score > lowest || (score === lowest && found !== undefined)) continue;
      [found, lowest] = [member, score];
    }
    return found;
  }
}
