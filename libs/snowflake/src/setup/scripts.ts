import { setText } from './json.js';
import type { Manifest } from './manifest.js';
import type { Source } from './source.js';

const SCRIPT = 'start:dev';
const START = 'nest start';
const DEVELOPMENT = 'NODE_ENV=development';

/**
 * Sets NODE_ENV for `start:dev`, because Nest sets none and the library then waits as in production.
 *
 * @param manifestSource the `package.json`
 * @param isWindows whether the user's shell can't set a variable before a command
 * @returns what the user does, if the script has another form
 */
export function setNodeEnv(
  manifestSource: Source,
  { scripts, packages }: Manifest,
  isWindows: boolean,
): string | undefined {
  const script = scripts[SCRIPT];
  if (script?.includes('NODE_ENV')) return undefined;
  const hasCrossEnv = packages['cross-env'] !== undefined;
  const at = script?.indexOf(START) ?? -1;
  if (script === undefined || at === -1 || (isWindows && !hasCrossEnv))
    return `Set ${DEVELOPMENT} where you develop. Without it, the first startup on a new store waits 65 s, as in production.`;
  const setting = hasCrossEnv && !script.startsWith('cross-env ') ? `cross-env ${DEVELOPMENT}` : DEVELOPMENT;
  setText(manifestSource, 'scripts', SCRIPT, `${script.slice(0, at)}${setting} ${script.slice(at)}`);
  return undefined;
}
