/**
 * Serves the console of a namespace without a Nest app.
 *
 * @module
 */
export {
  type ConsoleServer,
  type ConsoleServerOptions,
  startConsoleServer,
} from './server/console-server.js';
export type { Namespace } from './server/namespace-subject.js';
