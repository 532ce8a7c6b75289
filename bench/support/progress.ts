/** Shows the progress of a measurement on stderr. */
export interface Progress {
  /** @param done how many of the total are done */
  step(done: number, note?: string): void;
  /** Clears the line on a terminal; elsewhere prints the duration. */
  end(): void;
}

const QUIET_MS = 5_000;

/**
 * Starts to show progress: on a terminal in one line that is overwritten, elsewhere in a line from time to time.
 *
 * @param total number of steps
 */
export function progress(label: string, total: number): Progress {
  const startedMs = performance.now();
  return process.stderr.isTTY ? rewrittenLine(label, total, startedMs) : sparseLines(label, total, startedMs);
}

function rewrittenLine(label: string, total: number, startedMs: number): Progress {
  const show = (done: number, note?: string): void => {
    const width = process.stderr.columns ?? 80;
    process.stderr.write(`\r\u001B[2K${lineOf(label, done, total, startedMs, note).slice(0, width - 1)}`);
  };
  show(0);
  return { step: show, end: () => void process.stderr.write('\r\u001B[2K') };
}

function sparseLines(label: string, total: number, startedMs: number): Progress {
  let printedMs = startedMs;
  return {
    step(done, note) {
      const nowMs = performance.now();
      if (nowMs - printedMs < QUIET_MS) return;
      printedMs = nowMs;
      process.stderr.write(`${lineOf(label, done, total, startedMs, note)}\n`);
    },
    end() {
      process.stderr.write(`${label}: done in ${seconds(startedMs)}\n`);
    },
  };
}

function lineOf(label: string, done: number, total: number, startedMs: number, note?: string): string {
  const percent = total > 0 ? Math.floor((done / total) * 100) : 100;
  return `${label}: ${percent} %, ${seconds(startedMs)}${note ? `, ${note}` : ''}`;
}

function seconds(sinceMs: number): string {
  return `${Math.round((performance.now() - sinceMs) / 1000)} s`;
}
