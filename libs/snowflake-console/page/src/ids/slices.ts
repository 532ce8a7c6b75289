/** Half of a frame of 16 ms. The browser needs the other half. */
const SLICE_MS = 8;

/** Divides long work into slices, so that the browser handles input in between. */
export class Slices {
  private endMs = performance.now() + SLICE_MS;

  /** @param isObsolete whether the result is no longer needed */
  constructor(private readonly isObsolete: () => boolean) {}

  /** Yields to the browser if the slice is over. Returns whether the result is still needed. */
  async goOn(): Promise<boolean> {
    if (performance.now() < this.endMs) return true;
    await nextTask();
    this.endMs = performance.now() + SLICE_MS;
    return !this.isObsolete();
  }
}

/** Resolves after pending input, but without the delay of a timer. */
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
