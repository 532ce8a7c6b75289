/** Sees to it that no worker ID of a namespace is given to two holders whose windows have not ended. */
export class GivenWorkerIds {
  private readonly given = new Map<string, Set<number>>();
  private repeats = 0;

  /** How many grants were of a worker ID that somebody held. */
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
