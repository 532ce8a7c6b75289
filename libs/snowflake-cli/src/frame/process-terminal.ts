import { styleText } from 'node:util';
import { systemClock } from 'nestjs-snowflake/core';
import { EXIT, type ExitCode } from './exit-code.js';
import { linesOf } from './lines-of.js';
import { OutputClosedError, type Style, type Terminal } from './terminal.js';

/** The terminal, or the pipes and files, that this process was started with. */
export class ProcessTerminal implements Terminal {
  exitCode: ExitCode = EXIT.fine;
  readonly isErrorInteractive = process.stderr.isTTY;
  readonly isOutputInteractive = process.stdout.isTTY;
  readonly isInputInteractive = process.stdin.isTTY;
  readonly now = systemClock.now;
  readonly #output = new Output(process.stdout);
  readonly #errorOutput = new Output(process.stderr);
  // `hasColors()` respects NO_COLOR, FORCE_COLOR and TERM.
  readonly #hasColors = process.stdout.isTTY && process.stdout.hasColors();

  style(style: Style, text: string): string {
    return this.#hasColors ? styleText(style, text, { validateStream: false }) : text;
  }

  print(text: string): void {
    this.#output.write(text);
  }

  printError(text: string): void {
    this.#errorOutput.write(text);
  }

  async flush(): Promise<void> {
    await this.#output.flush();
    await this.#errorOutput.flush();
  }

  inputLines(): AsyncIterable<string> {
    return linesOf(process.stdin);
  }
}

class Output {
  #lastWrite: Promise<void> = Promise.resolve();
  #failure: NodeJS.ErrnoException | undefined;

  constructor(private readonly stream: NodeJS.WriteStream) {
    stream.on('error', (error) => (this.#failure = error));
  }

  write(text: string): void {
    // Writes complete in order, so waiting for the last one is enough.
    this.#lastWrite = new Promise((resolve) => this.stream.write(text, () => resolve()));
  }

  async flush(): Promise<void> {
    await this.#lastWrite;
    if (this.#failure?.code === 'EPIPE') throw new OutputClosedError();
    if (this.#failure) throw this.#failure;
  }
}
