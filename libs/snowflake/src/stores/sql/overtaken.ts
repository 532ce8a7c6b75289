/** Ends a transaction that would overwrite what another one has written since it read it. The lock has failed then. */
export class Overtaken extends Error {
  constructor(workerId: number) {
    super(`another process was faster with worker ID ${workerId}`);
  }
}
