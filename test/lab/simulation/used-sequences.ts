/** The sequence numbers first..last of one tick of one worker ID, used by one tenure. */
interface Stretch {
  readonly tenure: number;
  readonly first: number;
  last: number;
  next?: Stretch;
}

/** What became of a note. */
export interface Use {
  /** How many of the IDs had been made before. */
  readonly duplicates: number;
  /** Whether another tenure used this tick of this worker ID. */
  readonly isShared: boolean;
}

const CLEAN: Use = { duplicates: 0, isShared: false };

/** Which sequence numbers of which ticks were used, by whom: finds an ID that was made twice as soon as it is. */
export class UsedSequences {
  private readonly workers: Map<number, Stretch>[] = [];

  note(workerId: number, tick: number, first: number, last: number, tenure: number): Use {
    const ticks = (this.workers[workerId] ??= new Map<number, Stretch>());
    const known = ticks.get(tick);
    if (!known) {
      ticks.set(tick, { tenure, first, last });
      return CLEAN;
    }
    if (!known.next && known.tenure === tenure && known.last + 1 === first) {
      known.last = last;
      return CLEAN;
    }
    const use = compare(known, first, last, tenure);
    ticks.set(tick, { tenure, first, last, next: known });
    return use;
  }
}

function compare(known: Stretch, first: number, last: number, tenure: number): Use {
  let isShared = false;
  const earlier: Stretch[] = [];
  for (let stretch: Stretch | undefined = known; stretch; stretch = stretch.next) {
    isShared ||= stretch.tenure !== tenure;
    earlier.push(stretch);
  }
  let duplicates = 0;
  let reached = first - 1;
  for (const stretch of earlier.sort((a, b) => a.first - b.first)) {
    const from = Math.max(stretch.first, reached + 1);
    const to = Math.min(stretch.last, last);
    if (to < from) continue;
    duplicates += to - from + 1;
    reached = to;
  }
  return { duplicates, isShared };
}
