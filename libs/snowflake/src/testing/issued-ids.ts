import { InvalidOptionError } from '../core/index.js';

/** The IDs from `first` to `last` that one fake has made; none yet if `last` is below `first`. */
export interface IssuedRange {
  readonly first: bigint;
  last: bigint;
  readonly mayRepeat: boolean;
}

/** The IDs that the fakes of this process have made. */
export class IssuedIds {
  private readonly ranges: IssuedRange[] = [];

  /** Begins to remember the IDs of a fake. @throws InvalidOptionError if its first ID was made by another fake */
  begin(first: bigint, mayRepeat: boolean): IssuedRange {
    const range = { first, last: first - 1n, mayRepeat };
    this.refuseRepeats(range, first, first);
    this.ranges.push(range);
    return range;
  }

  /** Notes that a fake makes IDs from `first` to `last`. @throws InvalidOptionError if another fake has made some of them */
  extend(range: IssuedRange, first: bigint, last: bigint): void {
    this.refuseRepeats(range, first, last);
    range.last = last;
  }

  private refuseRepeats(range: IssuedRange, first: bigint, last: bigint): void {
    if (range.mayRepeat) return;
    if (!this.ranges.some((other) => other !== range && first <= other.last && other.first <= last)) return;
    throw new InvalidOptionError(
      'start',
      range.first,
      `leads to ID ${first}, which another fake of this process may have made`,
      'Share one fake, give each its own start, or pass mayRepeat: true if every test begins with an empty database.',
    );
  }
}
