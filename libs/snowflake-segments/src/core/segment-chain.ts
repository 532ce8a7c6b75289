/** A block of numbers that one claim has granted: `first`, `first + stride`, … */
export interface Segment {
  /** Identifies the claim. */
  readonly token: string;
  readonly first: number;
  /** How many numbers it has, at least 1. */
  readonly count: number;
}

/** The unused end of a segment. `count` is 0 if all numbers are used. */
export type Rest = Segment;

/** What a {@link SegmentChain} has at hand. */
export interface ChainView {
  /** Numbers that are left in all segments. */
  readonly left: number;
  /** Numbers that are left in the segment in use. */
  readonly leftOfCurrent: number;
  /** Length of the segment in use. */
  readonly sizeOfCurrent: number;
  /** Segments behind the one in use. */
  readonly waiting: number;
}

/**
 * The segments of one tag that a process holds, used in the order in which they were claimed.
 *
 * Keeps its numbers in plain fields: V8 writes a number below 2^31 as it is, and a larger one in place. A Float64Array costs
 * more for both.
 */
export class SegmentChain {
  private nextNumber = 0;
  /** Where {@link next} leaves its quick path: at the mark of {@link checkAfter}, or at the end of the segment in use. */
  private quickEnd = 0;
  private end = 0;
  private readonly waiting: Segment[] = [];
  private finished: Rest[] = [];
  private current: Segment | undefined;
  private leftWaiting = 0;
  private issuedBefore = 0;

  /**
   * @param stride the distance of two numbers
   * @param onCheck is called within {@link next} when the mark of {@link checkAfter} is reached and when a segment ends
   * @param onEmpty is called without numbers, and returns the error that the call throws
   */
  constructor(
    private readonly stride: number,
    private readonly onCheck: () => void,
    private readonly onEmpty: () => Error,
  ) {}

  /** Returns the next number. @throws the error of `onEmpty` */
  next(): number {
    const number = this.nextNumber;
    if (number < this.quickEnd) {
      this.nextNumber = number + this.stride;
      return number;
    }
    return this.nextAfterMark();
  }

  /** Returns `count` numbers, or uses none. @throws the error of `onEmpty` */
  nextMany(count: number): number[] {
    if (this.left < count) throw this.onEmpty();
    const numbers = new Array<number>(count);
    for (let index = 0; index < count; index++) numbers[index] = this.next();
    return numbers;
  }

  add(segment: Segment): void {
    this.waiting.push(segment);
    this.leftWaiting += segment.count;
  }

  /** Sets the mark that calls `onCheck`: the present number and `count` later ones, within the segment in use. */
  checkAfter(count: number): void {
    this.quickEnd = Math.min(this.end, this.nextNumber + count * this.stride);
  }

  /** Numbers issued so far. */
  get issued(): number {
    return this.current ? this.issuedBefore + this.current.count - this.leftOfCurrent : this.issuedBefore;
  }

  get left(): number {
    return this.leftOfCurrent + this.leftWaiting;
  }

  /** The highest number at hand; `undefined` without numbers. */
  get highest(): number | undefined {
    const ends = this.waiting.map(({ first, count }) => first + count * this.stride);
    if (this.leftOfCurrent > 0) ends.push(this.end);
    return ends.length > 0 ? Math.max(...ends) - this.stride : undefined;
  }

  view(): ChainView {
    return {
      left: this.left,
      leftOfCurrent: this.leftOfCurrent,
      sizeOfCurrent: this.current?.count ?? 0,
      waiting: this.waiting.length,
    };
  }

  /** Returns the segments that were used up since the last call, without numbers. */
  drainFinished(): Rest[] {
    const { finished } = this;
    this.finished = [];
    return finished;
  }

  /** Takes every segment out, so that no number of them is issued any more. Returns what is left of each. */
  drain(): Rest[] {
    const rests: Rest[] = [];
    const { current } = this;
    if (current) {
      rests.push({ token: current.token, first: this.nextNumber, count: this.leftOfCurrent });
      this.issuedBefore = this.issued;
    }
    rests.push(...this.waiting.splice(0));
    this.current = undefined;
    this.leftWaiting = 0;
    this.nextNumber = this.quickEnd = this.end = 0;
    return rests;
  }

  private get leftOfCurrent(): number {
    return Math.max(0, (this.end - this.nextNumber) / this.stride);
  }

  private nextAfterMark(): number {
    if (this.nextNumber >= this.end) this.advance();
    const number = this.nextNumber;
    this.nextNumber = number + this.stride;
    this.quickEnd = this.end;
    this.onCheck();
    return number;
  }

  private advance(): void {
    const following = this.waiting.shift();
    if (!following) {
      this.onCheck();
      throw this.onEmpty();
    }
    this.leftWaiting -= following.count;
    if (this.current) {
      this.finished.push({ token: this.current.token, first: this.end, count: 0 });
      this.issuedBefore += this.current.count;
    }
    this.current = following;
    this.nextNumber = following.first;
    this.end = following.first + following.count * this.stride;
  }
}
