/**
 * Exit codes of the process. `failure` includes findings of the doctor, `usage` stands for a wrong command line, and
 * `unchanged` means that there was nothing to do.
 */
export const EXIT = { fine: 0, failure: 1, usage: 2, unchanged: 3 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
