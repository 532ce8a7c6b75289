import type { styleText } from 'node:util';
import type { ExitCode } from './exit-code.js';

/** Colors and weights of a text, as `util.styleText` names them. */
export type Style = Parameters<typeof styleText>[0];

/** The environment of a command: where it reads and writes, and how it ends. */
export interface Terminal {
  /** Exit code of the process unless the command throws. Starts as `EXIT.fine`. */
  exitCode: ExitCode;
  /** Whether {@link printError} writes to a terminal. Scripts get no progress and no prompts. */
  readonly isErrorInteractive: boolean;
  /** Whether {@link print} writes to a terminal. */
  readonly isOutputInteractive: boolean;
  /** Whether {@link inputLines} reads from a keyboard. */
  readonly isInputInteractive: boolean;
  /** Unix time in milliseconds. */
  now(): number;
  /** Returns the text in this style if the output shows colors, and unchanged otherwise. */
  style(style: Style, text: string): string;
  /** Writes to standard output. Await {@link flush} between large outputs. */
  print(text: string): void;
  /** Writes to standard error. */
  printError(text: string): void;
  /** Resolves when everything is written. @throws OutputClosedError if nobody reads the output any more */
  flush(): Promise<void>;
  /** Yields the lines of standard input. */
  inputLines(): AsyncIterable<string>;
}

/** The reader of the output is gone, such as `head` after its last line. The process ends quietly. */
export class OutputClosedError extends Error {}
