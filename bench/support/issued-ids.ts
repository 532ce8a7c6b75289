/** All IDs of a run, to find those that were issued more than once. */
export class IssuedIds {
  private ids = new BigUint64Array(1 << 16);
  private count = 0;

  get total(): number {
    return this.count;
  }

  add(id: string | bigint): void {
    if (this.count === this.ids.length) {
      const larger = new BigUint64Array(this.ids.length * 2);
      larger.set(this.ids);
      this.ids = larger;
    }
    this.ids[this.count++] = BigInt(id);
  }

  /** How many of them are there beyond one of each. */
  repeated(): number {
    const sorted = this.ids.slice(0, this.count).sort();
    let repeated = 0;
    for (let index = 1; index < sorted.length; index++) {
      if (sorted[index] === sorted[index - 1]) repeated++;
    }
    return repeated;
  }
}
