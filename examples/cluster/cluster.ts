/** Runs `main.js` in several processes, each of which leases its own worker ID. Start it with `node dist/cluster.js`. */
import cluster from 'node:cluster';
import { availableParallelism } from 'node:os';

const RESTART_AFTER_MS = 1_000;

if (cluster.isPrimary) {
  const count = Number(process.env.PROCESSES ?? availableParallelism());
  let isStopping = false;
  for (let started = 0; started < count; started++) cluster.fork();

  cluster.on('exit', () => {
    // Later, because each crash keeps a worker ID taken until its window ends.
    if (!isStopping) setTimeout(() => isStopping || cluster.fork(), RESTART_AFTER_MS);
  });
  process.once('SIGTERM', () => {
    isStopping = true;
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGTERM');
  });
} else {
  await import('./main.js');
}
