/** A frame has 16 ms, and the browser needs the other half. */
const SLICE_MS = 8;

/** Divides long work, so that the browser answers keys and pointers in between. */
export class Slices {
  private endMs = performance.now() + SLICE_MS;

  /** @param isObsolete whether nobody waits for the work any more */
  constructor(private readonly isObsolete: () => boolean) {}

  /** Lets the browser work if the slice is over. Returns whether the work is still wanted. */
  async goOn(): Promise<boolean> {
    if (performance.now() < this.endMs) return true;
    await nextTask();
    this.endMs = performance.now() + SLICE_MS;
    return !this.isObsolete();
  }
}

/** A message comes after waiting input, but without the delay of a timer. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener('message', () => {
      port1.close();
      resolve();
    });
    port1.start();
    port2.postMessage(undefined);
  });
}
