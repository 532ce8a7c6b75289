/**
 * Seeded pseudo-random numbers (mulberry32, by Tommy Ettinger): the only source of chance in the simulated world.
 *
 * Each part of the world takes a stream of its own by {@link fork}, so that one part that draws more or fewer numbers
 * does not change what happens to the others.
 */
export class Random {
  private state: number;

  constructor(private readonly seed: number) {
    this.state = seed >>> 0;
  }

  /** A stream that depends on the seed and the label alone. */
  fork(label: string): Random {
    let mixed = this.seed ^ 0x9e3779b9;
    for (let at = 0; at < label.length; at++) mixed = Math.imul(mixed ^ label.charCodeAt(at), 0x01000193);
    return new Random(mixed ^ (mixed >>> 15));
  }

  /** In [0, 1). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** In [low, high). */
  between(low: number, high: number): number {
    return low + (high - low) * this.next();
  }

  /** A whole number in low..high, both included. */
  whole(low: number, high: number): number {
    return low + Math.floor((high - low + 1) * this.next());
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.whole(0, items.length - 1)];
    if (item === undefined) throw new Error('There is nothing to pick from');
    return item;
  }

  /** The time to the next of independent events that come `mean` apart on average. */
  exponential(mean: number): number {
    return -mean * Math.log(1 - this.next());
  }

  /** 16 hex digits. */
  hex(): string {
    const word = (): string =>
      this.whole(0, 2 ** 32 - 1)
        .toString(16)
        .padStart(8, '0');
    return word() + word();
  }
}
