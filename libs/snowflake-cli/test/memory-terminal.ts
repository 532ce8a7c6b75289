import { EXIT, type ExitCode } from '../src/frame/exit-code.js';
import type { Terminal } from '../src/frame/terminal.js';

/** A terminal of strings, to run many command lines in one process. */
export class MemoryTerminal implements Terminal {
  exitCode: ExitCode = EXIT.fine;
  readonly isErrorInteractive: boolean = false;
  readonly isOutputInteractive: boolean = false;
  readonly isInputInteractive = false;
  output = '';
  errors = '';

  /** @param now which time it is */
  constructor(
    private readonly input: readonly string[] = [],
    readonly now: () => number = Date.now,
  ) {}

  style(_style: unknown, text: string): string {
    return text;
  }

  print(text: string): void {
    this.output += text;
  }

  printError(text: string): void {
    this.errors += text;
  }

  async flush(): Promise<void> {}

  async *inputLines(): AsyncGenerator<string> {
    yield* this.input;
  }
}
