/**
 * Outlives the test process that started it by a moment: when that process ends, however it ends, its end of the
 * pipe closes, and the servers and directories it left behind are removed.
 * Lines on stdin: `+<pid> <signal> <directory>` to watch, `-<pid>` to forget.
 */
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';

const watched = new Map();

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const [, sign, pid, signal, directory] = /^([+-])(\d+)(?: (\w+) (.*))?$/.exec(line) ?? [];
    if (sign === '+') watched.set(Number(pid), { signal, directory });
    else watched.delete(Number(pid));
  })
  .on('close', async () => {
    for (const [pid, { signal }] of watched) end(pid, signal);
    if (watched.size > 0) await new Promise((resolve) => setTimeout(resolve, 500));
    for (const [pid, { directory }] of watched) {
      end(pid, 'SIGKILL');
      if (directory) rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    }
  });

// Ctrl-C goes to the whole foreground group, so the end of the pipe, not a signal, starts the clean-up.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);

function end(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended already.
  }
}
