import { afterAll, vi } from 'vitest';

// The spec files of a worker share what packages have loaded, and each begins as if it were the first: with the sources of this
// repository loaded anew, since they remember what was issued in this process, and without what the file before has changed.
const env = { ...process.env };
vi.resetModules();

afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
});
