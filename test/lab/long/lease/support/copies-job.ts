import { cpSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../../..', import.meta.url));
const NAME = 'nestjs-snowflake';

/** What the process that loads the package several times is to do. */
export interface CopiesJob {
  /** Where each maker gets its worker ID: from a namespace in Redis, or one and the same that nobody guards. */
  readonly lease: { readonly url: string; readonly namespace: string } | { readonly workerId: number };
  /** URL of a second copy of the package. */
  readonly copy: string;
  readonly idsEach: number;
}

export interface CopiesReport {
  readonly loaded: readonly {
    readonly way: string;
    /** Whether its class is the one that an import gives. */
    readonly isFirstClass: boolean;
    /** The code of the error if the maker could not start; otherwise an empty string. */
    readonly refusedWith: string;
    readonly workerId: number | undefined;
    readonly made: readonly string[];
  }[];
}

/**
 * A second copy of the built package in a folder of its own, as a nested node_modules would have it; what it imports
 * comes from the workspace.
 */
export function copyPackage(): { readonly folder: string; readonly url: string } {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'snowflake-copy-')));
  const modules = join(folder, 'node_modules');
  mkdirSync(modules);
  for (const entry of readdirSync(join(ROOT, 'node_modules'))) {
    if (entry !== NAME) symlinkSync(join(ROOT, 'node_modules', entry), join(modules, entry));
  }
  const copy = join(modules, NAME);
  for (const part of ['package.json', 'dist']) {
    cpSync(join(ROOT, 'libs/snowflake', part), join(copy, part), { recursive: true });
  }
  return { folder, url: pathToFileURL(copy).href };
}
