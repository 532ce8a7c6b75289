/** Something that is to happen at a moment of virtual time. */
export interface PlannedEvent {
  readonly atMs: number;
  readonly order: number;
  /** Removed when the event is canceled. */
  task: (() => void) | undefined;
}

/** Events in order of time; those of one moment in the order in which they were planned. A binary heap. */
export class EventQueue {
  private readonly heap: PlannedEvent[] = [];
  private planned = 0;

  plan(atMs: number, task: () => void): PlannedEvent {
    const event: PlannedEvent = { atMs, order: this.planned++, task };
    const { heap } = this;
    let slot = heap.push(event) - 1;
    while (slot > 0) {
      const above = (slot - 1) >> 1;
      if (!isBefore(event, heap[above]!)) break;
      heap[slot] = heap[above]!;
      slot = above;
    }
    heap[slot] = event;
    return event;
  }

  /** Takes out the next event that is not later than `untilMs`. */
  take(untilMs: number): PlannedEvent | undefined {
    const first = this.heap[0];
    if (!first || first.atMs > untilMs) return undefined;
    const last = this.heap.pop();
    if (last && last !== first) this.sinkFromTop(last);
    return first;
  }

  private sinkFromTop(event: PlannedEvent): void {
    const { heap } = this;
    let slot = 0;
    for (;;) {
      let below = 2 * slot + 1;
      if (below >= heap.length) break;
      if (below + 1 < heap.length && isBefore(heap[below + 1]!, heap[below]!)) below++;
      if (!isBefore(heap[below]!, event)) break;
      heap[slot] = heap[below]!;
      slot = below;
    }
    heap[slot] = event;
  }
}

function isBefore(one: PlannedEvent, other: PlannedEvent): boolean {
  return one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order);
}
