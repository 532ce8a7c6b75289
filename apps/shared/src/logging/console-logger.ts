import { ConsoleLogger } from '@nestjs/common';
import type { ServerEnvironment } from '../environment/server-environment.js';

/** Returns the logger of an app. Only a terminal shows colors. A file or a log collector would get control characters. */
export function consoleLogger({ NODE_ENV }: Pick<ServerEnvironment, 'NODE_ENV'>): ConsoleLogger {
  return new ConsoleLogger({ colors: Boolean(process.stdout.isTTY) && NODE_ENV !== 'production' });
}
