/** Counts grants of a worker ID whose window, granted to another holder, has not ended. */
export class GivenWorkerIds {
  private readonly given = new Map<string, Set<number>>();
  private repeats = 0;

  /** Number of grants of a worker ID that another holder held. */
  get duplicates(): number {
    return this.repeats;
  }

  add(namespace: string, workerId: number): void {
    const workerIds = this.given.get(namespace) ?? new Set();
    this.given.set(namespace, workerIds);
    if (workerIds.has(workerId)) this.repeats += 1;
    workerIds.add(workerId);
  }

  countOf(namespace: string): number {
    return this.given.get(namespace)?.size ?? 0;
  }
}
