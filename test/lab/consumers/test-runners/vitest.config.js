import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: { include: ['vitest/*.test.js'], globals: true, maxWorkers: 2, testTimeout: 60_000 },
});
