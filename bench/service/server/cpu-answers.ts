/** The CPU time of a server since its start, on request of the benchmark. */
export interface CpuAnswer {
  readonly cpuUs: number;
}

/** Answers each message of the benchmark with the CPU time of this process, and ends with its channel. */
export function answerCpuQuestions(): void {
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send?.({ cpuUs: user + system } satisfies CpuAnswer);
  });
  process.on('disconnect', () => process.exit());
}
