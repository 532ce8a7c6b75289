/** What the process tells its caller: `failure` is also a finding, and `usage` a wrong command line. */
export const EXIT = { fine: 0, failure: 1, usage: 2 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
