import type { AppProcess } from './app-process.js';

/**
 * Starts an app before the tests of a suite, stops it after them, and returns a function that returns it. It loads its modules in one hook and
 * does the rest of its start in another, because a hook has the time of a test, and a start takes as much of a processor as several tests.
 */
export function startedApp<App extends AppProcess>(spawn: () => App | Promise<App>): () => App {
  let app: App | undefined;
  beforeAll(async () => {
    app = await spawn();
    await app.untilLoaded();
  });
  beforeAll(async () => {
    await app?.untilListening();
  });
  afterAll(async () => {
    await app?.stop();
  });
  return () => {
    if (app === undefined) throw new Error('The app starts before the first test of its suite');
    return app;
  };
}
