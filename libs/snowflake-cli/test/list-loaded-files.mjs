/** Appends the URL of each ES module that a process loads to the file LOADED_FILES. Node runs the hook below in a thread of its own. */
import { appendFileSync } from 'node:fs';
import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) register(import.meta.url);

export async function load(url, context, next) {
  appendFileSync(process.env.LOADED_FILES, `${url}\n`);
  return next(url, context);
}
