// `npm run test:under-load -- --times 10` runs `npm test` beside three busy loops, and stops one of its processes at a time for 1 to 4 s.
// With `--all` it stops all of them at once, as a virtual machine that stands still. A test that races with the machine fails here.
// It prints one line a run, and the log of each run stays.
import { spawn } from 'node:child_process';
import { createWriteStream, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    times: { type: 'string', default: '10' },
    loops: { type: 'string', default: '3' },
    /** Stops all processes at once, as a virtual machine that stands still, instead of one. */
    all: { type: 'boolean', default: false },
    /** What to run instead of `npm test`, for example "npm run test:unit". */
    command: { type: 'string', default: 'npm test' },
  },
});

const between = (low, high) => low + Math.random() * (high - low);

/** Specs pause these servers themselves, and this must not let them continue. When all stand still, no spec does. */
const PAUSED_BY_SPECS = ['redis-server', 'etcd', 'java'];
/** Stops itself when its child is stopped, as a shell with job control does, and nobody would let it continue. */
const STOPS_WITH_ITS_CHILD = 'script';
/** Of a process that a spec has paused. */
const STOPPED = 'T';

/** Reads the name, the state and the parent of every process from /proc. */
function processes() {
  const found = new Map();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const [, name, rest] = /\((.*)\) (.*)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'));
      const [state, parent] = rest.split(' ');
      found.set(Number(pid), { name, state, parent: Number(parent) });
    } catch {
      // It has ended since.
    }
  }
  return found;
}

function descendantsOf(root) {
  const found = new Set([root]);
  const all = processes();
  for (let size = 0; size < found.size;) {
    size = found.size;
    for (const [pid, { parent }] of all) if (found.has(parent)) found.add(pid);
  }
  found.delete(root);
  return [...found].filter((pid) => {
    const { name, state, parent } = all.get(pid) ?? {};
    if (state === STOPPED || all.get(parent)?.name === STOPS_WITH_ITS_CHILD) return false;
    return values.all || !PAUSED_BY_SPECS.includes(name);
  });
}

function signal(pid, name) {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended since.
  }
}

/** Stops one descendant of `root` after another, or all at once, until `isOver()`. Returns how often. */
async function stopNowAndThen(root, isOver) {
  let stops = 0;
  while (!isOver()) {
    await delay(between(2_000, 8_000));
    const pids = descendantsOf(root);
    const victims = values.all ? pids : pids.splice(Math.floor(Math.random() * pids.length), 1);
    if (isOver()) continue;
    for (const pid of victims) signal(pid, 'SIGSTOP');
    await delay(between(1_000, 4_000));
    for (const pid of victims) signal(pid, 'SIGCONT');
    stops += 1;
  }
  return stops;
}

async function runOnce(round) {
  const log = join(tmpdir(), `under-load-${process.pid}-${round}.log`);
  const startedMs = performance.now();
  const child = spawn('sh', ['-c', values.command], { stdio: ['ignore', 'pipe', 'pipe'] });
  const file = createWriteStream(log);
  let tail = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.pipe(file, { end: false });
    stream.on('data', (text) => (tail = (tail + text).slice(-4_000)));
  }
  let code;
  const ended = new Promise((resolve) => child.on('close', resolve)).then((exit) => (code = exit));
  const stops = await stopNowAndThen(child.pid, () => code !== undefined);
  await ended;
  const summary = /^Tests: +(.*)$/m.exec(tail)?.[1] ?? 'no summary';
  const minutes = ((performance.now() - startedMs) / 60_000).toFixed(1);
  console.log(`${round}: ${summary}, exit code ${code}, ${minutes} min, ${stops} stops, ${log}`);
  return code === 0;
}

const loops = Array.from({ length: Number(values.loops) }, () =>
  spawn(process.execPath, ['--eval', 'for (;;);'], { stdio: 'ignore' }),
);
process.on('exit', () => {
  for (const loop of loops) loop.kill('SIGKILL');
});
process.on('SIGINT', () => process.exit(130));
process.on('SIGTERM', () => process.exit(143));

let failures = 0;
for (let round = 1; round <= Number(values.times); round += 1) if (!(await runOnce(round))) failures += 1;
console.log(`${values.times} runs, ${failures} failed`);
process.exit(failures > 0 ? 1 : 0);
