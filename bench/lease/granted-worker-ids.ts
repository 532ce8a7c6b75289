/** Counts worker IDs that were granted again although no window of the benchmark ends. */
export class GrantedWorkerIds {
  private readonly granted = new Map<string, Set<number>>();
  private repeats = 0;

  /** Number of grants of a worker ID that another holder held. */
  get duplicates(): number {
    return this.repeats;
  }

  add(namespace: string, workerId: number): void {
    const workerIds = this.granted.get(namespace) ?? new Set();
    this.granted.set(namespace, workerIds);
    if (workerIds.has(workerId)) this.repeats += 1;
    workerIds.add(workerId);
  }
}
