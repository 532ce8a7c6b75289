const STOP_SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Resolves when somebody ends the process with Ctrl+C or `kill`. It doesn't end by itself then. */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of STOP_SIGNALS) process.once(signal, () => resolve());
  });
}
