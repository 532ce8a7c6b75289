export {
  type ConsoleServer,
  type ConsoleServerOptions,
  startConsoleServer,
} from './server/console-server.js';
export type { Namespace } from './server/namespace-subject.js';
