/** Runs the command lines on its input in this process, and prints how each of them ended. */
import { text } from 'node:stream/consumers';
import { runCommandLine } from '../dist/command-line.js';

class Terminal {
  exitCode = 0;
  isErrorInteractive = false;
  isInputInteractive = false;
  stdout = '';
  stderr = '';
  now = Date.now;
  style = (_style, words) => words;
  print = (words) => void (this.stdout += words);
  printError = (words) => void (this.stderr += words);
  async flush() {}
  async *inputLines() {}
}

const ends = [];
for (const args of JSON.parse(await text(process.stdin))) {
  const terminal = new Terminal();
  const code = await runCommandLine(args, terminal);
  ends.push({ code, stdout: terminal.stdout, stderr: terminal.stderr });
}
// The options of an app can keep a process alive.
process.stdout.write(JSON.stringify(ends), () => process.exit());
