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

const NEXT = 0;
const SOFT_END = 1;
const END = 2;
const STRIDE = 3;

/**
 * The segments of one tag that a process holds, used in the order in which they were claimed.
 *
 * Keeps its numbers in a Float64Array: in a plain field, each number above 2^31 would be allocated.
 */
export class SegmentChain {
  private readonly state = new Float64Array(4);
  private readonly waiting: Segment[] = [];
  private finished: Rest[] = [];
  private current: Segment | undefined;
  private leftWaiting = 0;
  private issuedBefore = 0;

  /**
   * @param stride the distance of two numbers
   * @param onLook is called within {@link next} when the mark of {@link lookAfter} is reached and when a segment ends
   * @param exhausted makes the error that {@link next} throws without numbers
   */
  constructor(
    stride: number,
    private readonly onLook: () => void,
    private readonly exhausted: () => Error,
  ) {
    this.state[STRIDE] = stride;
  }

  /** Returns the next number. @throws the error of `exhausted` */
  next(): number {
    const { state } = this;
    const number = state[NEXT]!;
    if (number < state[SOFT_END]!) {
      state[NEXT] = number + state[STRIDE]!;
      return number;
    }
    return this.nextAfterMark();
  }

  /** Returns `count` numbers, or uses none. @throws the error of `exhausted` */
  nextMany(count: number): number[] {
    if (this.left < count) throw this.exhausted();
    const numbers = new Array<number>(count);
    for (let index = 0; index < count; index++) numbers[index] = this.next();
    return numbers;
  }

  add(segment: Segment): void {
    this.waiting.push(segment);
    this.leftWaiting += segment.count;
  }

  /** Sets the mark that calls `onLook`: the present number and `count` later ones, within the segment in use. */
  lookAfter(count: number): void {
    const { state } = this;
    state[SOFT_END] = Math.min(state[END]!, state[NEXT]! + count * state[STRIDE]!);
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
    const stride = this.state[STRIDE]!;
    const ends = this.waiting.map(({ first, count }) => first + count * stride);
    if (this.leftOfCurrent > 0) ends.push(this.state[END]!);
    return ends.length > 0 ? Math.max(...ends) - stride : undefined;
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
  takeFinished(): Rest[] {
    const { finished } = this;
    this.finished = [];
    return finished;
  }

  /** Takes every segment out, so that no number of them is issued any more. Returns what is left of each. */
  drain(): Rest[] {
    const rests: Rest[] = [];
    const { current, state } = this;
    if (current) {
      rests.push({ token: current.token, first: state[NEXT]!, count: this.leftOfCurrent });
      this.issuedBefore = this.issued;
    }
    rests.push(...this.waiting.splice(0));
    this.current = undefined;
    this.leftWaiting = 0;
    state.fill(0, NEXT, STRIDE);
    return rests;
  }

  private get leftOfCurrent(): number {
    const { state } = this;
    return Math.max(0, (state[END]! - state[NEXT]!) / state[STRIDE]!);
  }

  private nextAfterMark(): number {
    const { state } = this;
    if (state[NEXT]! >= state[END]!) this.advance();
    const number = state[NEXT]!;
    state[NEXT] = number + state[STRIDE]!;
    state[SOFT_END] = state[END]!;
    this.onLook();
    return number;
  }

  private advance(): void {
    const following = this.waiting.shift();
    if (!following) {
      this.onLook();
      throw this.exhausted();
    }
    this.leftWaiting -= following.count;
    if (this.current) {
      this.finished.push({ token: this.current.token, first: this.state[END]!, count: 0 });
      this.issuedBefore += this.current.count;
    }
    this.current = following;
    this.state[NEXT] = following.first;
    this.state[END] = following.first + following.count * this.state[STRIDE]!;
  }
}
