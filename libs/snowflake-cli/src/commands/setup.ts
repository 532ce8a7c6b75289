import { type Command, Option } from 'commander';
import type { StoreName } from 'nestjs-snowflake/internal/setup/settings';
import type { Terminal } from '../frame/terminal.js';

/** What the parser passes to the action of `setup`. */
export interface SetupFlags {
  readonly store?: StoreName;
  readonly namespace?: string;
  readonly entity?: string;
  readonly project?: string;
  readonly defaults?: true;
  readonly dryRun?: true;
  readonly force?: true;
  /** False with `--no-install`. */
  readonly install: boolean;
}

const STORES: readonly StoreName[] = ['redis', 'sql', 'memory'];

/** Adds `setup`. */
export function addSetup(program: Command, terminal: Terminal): void {
  program
    .command('setup')
    .description('Register nestjs-snowflake in the Nest app of this folder, as nest add does.')
    .addOption(new Option('--store <store>', 'where worker IDs are leased').choices(STORES))
    .option(
      '--namespace <name>',
      'namespace of the processes whose IDs must differ (default: name of the app)',
    )
    .option('--entity <class>', 'TypeORM entity whose primary key becomes a Snowflake ID')
    .option('--project <name>', 'app among the projects of a monorepo')
    .option('--defaults', 'ask no questions')
    .option('--dry-run', 'show the changes as a diff, and change nothing')
    .option('--force', 'change the app even if git has uncommitted changes')
    .option('--no-install', 'write package.json, and install nothing')
    .action(async (flags: SetupFlags) => {
      // The other commands don't load it.
      const { setUp } = await import('./setup/set-up.js');
      await setUp(flags, process.cwd(), terminal);
    });
}
