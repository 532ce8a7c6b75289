/**
 * Lets a plain Node process import TypeScript: `node --import ./test/support/typescript.mjs child.ts`.
 * Node 20 cannot do so by itself, and Jest transforms nothing but what runs inside its own workers.
 */
import { register } from 'node:module';

register('./typescript-hooks.mjs', import.meta.url);
