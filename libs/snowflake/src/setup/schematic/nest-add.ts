import { createRequire } from 'node:module';
import { join } from 'node:path';
import { cwd, platform } from 'node:process';
import { systemClock } from '../../core/clock/system-clock.js';
import { compilerOf } from '../host/app-compiler.js';
import { refusalFor, uncommittedIn } from '../host/git-changes.js';
import { STORES } from '../settings.js';
import { planSetup } from '../setup.js';
import type { SetupPlan } from '../setup-plan.js';
import { filesIn, type Tree } from './tree.js';

/** The options of `schema.json`, and what `nest add` passes on. */
export interface NestAddOptions {
  readonly store?: string;
  readonly namespace?: string;
  readonly entity?: string;
  readonly project?: string;
  readonly skipInstall?: boolean;
}

/** What the schematic uses of the `SchematicContext` of @angular-devkit/schematics. */
export interface NestAddContext {
  readonly logger: { info(text: string): void; warn(text: string): void };
  addTask(task: { toConfiguration(): { name: string; options: object } }): unknown;
}

const LIBRARY = 'nestjs-snowflake';
const INSTALLED_HERE: readonly string[] = ['npm', 'pnpm'];

/** Sets up an app: `nest add nestjs-snowflake`. */
export function nestAdd(options: NestAddOptions): (tree: Tree, context: NestAddContext) => Tree {
  return (tree, context) => {
    requireCommitted();
    const store = STORES.find((each) => each === options.store);
    const { project, namespace, entity } = options;
    const surroundings = {
      nowMs: systemClock.now(),
      libraryVersion: libraryVersion(),
      isWindows: platform === 'win32',
    };
    const plan = planSetup(
      compilerOf(cwd()),
      filesIn(tree),
      { store, project, namespace, entity },
      surroundings,
    );
    if (plan.kind === 'by hand') {
      if (plan.lines.length > 0) context.logger.info(plan.lines.join('\n'));
      throw new Error(plan.problem);
    }
    for (const { path, before, after } of plan.changes) {
      if (before === undefined) tree.create(`/${path}`, after);
      else tree.overwrite(`/${path}`, after);
    }
    if (plan.added.length > 0) install(plan, context, options.skipInstall === true);
    if (plan.changes.length > 0) for (const sentence of plan.next) context.logger.info(`Next: ${sentence}`);
    return tree;
  };
}

/** The program that runs schematics doesn't pass `--force` on. */
function requireCommitted(): void {
  if (process.argv.includes('--force')) return;
  const refusal = refusalFor(uncommittedIn(cwd()));
  if (refusal !== undefined) throw new Error(refusal);
}

function install({ packageManager, added }: SetupPlan, context: NestAddContext, isSkipped: boolean): void {
  if (isSkipped || !INSTALLED_HERE.includes(packageManager)) {
    context.logger.info(`Next: Install ${added.join(' and ')}: ${packageManager} install`);
    return;
  }
  const options = { command: 'install', quiet: true, packageManager };
  context.addTask({ toConfiguration: () => ({ name: 'node-package', options }) });
}

/** The library is installed in the app, because otherwise the schematic would not run. */
function libraryVersion(): string {
  const manifest: unknown = createRequire(join(cwd(), 'package.json'))(`${LIBRARY}/package.json`);
  return String(Reflect.get(Object(manifest), 'version'));
}
