/**
 * What the process tells its caller: `failure` is also a finding, `usage` a wrong command line, and `unchanged` that there
 * was nothing to do.
 */
export const EXIT = { fine: 0, failure: 1, usage: 2, unchanged: 3 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
