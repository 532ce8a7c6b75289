/** Removes the last build: a file whose source is gone would be packed. */
import { rmSync } from 'node:fs';

rmSync(new URL('../dist', import.meta.url), { recursive: true, force: true });
