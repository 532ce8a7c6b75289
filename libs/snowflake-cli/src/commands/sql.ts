import { Argument, type Command, Option } from 'commander';
import { InvalidOptionError } from 'nestjs-snowflake/core';
import { requireWholeNumber } from 'nestjs-snowflake/internal/core/options/option-checks';
import { NAMESPACE } from 'nestjs-snowflake/internal/stores/namespace';
import { EXIT } from '../frame/exit-code.js';
import { withPackage } from '../frame/optional-package.js';
import type { Terminal } from '../frame/terminal.js';
import { addLayoutOptions, layoutFrom, type LayoutFlags } from '../settings/layout-options.js';
import { DATA_SOURCE_FLAG, DATA_SOURCE_HELP, loadOrmOptions } from '../settings/orm-options.js';
import { type Migration, type StepName, STEPS } from './sql/steps.js';
import { createStatements, type DatabaseName, DATABASES, type HolderName, HOLDERS } from './sql/tables.js';

interface SqlFlags extends LayoutFlags {
  readonly dataSource?: string;
  readonly database?: string;
  readonly keys?: readonly string[];
  readonly back?: true;
  readonly dialect?: DatabaseName;
  readonly for: HolderName;
  readonly table?: string;
  readonly schema?: string;
  readonly namespace?: string;
  readonly datacenterId: string;
}

const COMMAND = 'sql';
const TIMEOUT_MS = 30_000;

/** Adds `sql`. */
export function addSql(program: Command, terminal: Terminal): void {
  const command = program
    .command(COMMAND)
    .description(
      'Print the SQL of the tables, of functions that read IDs, of a default that generates IDs, or of a step from auto-increment ' +
        'to Snowflake keys. Changes nothing.',
    )
    .addArgument(
      new Argument(
        '<what>',
        'the tables, the functions, the default, or a step of the migration guide',
      ).choices(['tables', 'functions', 'default', ...STEPS]),
    )
    .addOption(
      new Option('--dialect <database>', 'tables, functions, default: kind of the database').choices(
        Object.keys(DATABASES),
      ),
    )
    .addOption(
      new Option('--for <what>', 'tables: what they store').choices(Object.keys(HOLDERS)).default('leases'),
    )
    .option('--table <name>', 'tables, default: name of the main table of leases or segments')
    .option('--schema <name>', 'functions: their schema on PostgreSQL (default: snowflake)')
    .option('--namespace <name>', 'default: ID space of the app')
    .option('--datacenter-id <id>', 'default: datacenterId of the app', '0')
    .option(DATA_SOURCE_FLAG, `steps: ${DATA_SOURCE_HELP}`)
    .option('--database <url>', 'steps, without TypeORM: postgres://…, mysql://…, mariadb://… or sqlite:FILE')
    .option('--keys <columns...>', 'with --database: the keys that get IDs, each as TABLE.COLUMN')
    .option('--back', 'default, steps: print the SQL that undoes the step; do so before you run the step')
    .action((what: StepName | 'tables' | 'functions' | 'default', flags: SqlFlags) => {
      if (what === 'tables') return printTables(flags, terminal);
      if (what === 'functions') return printFunctions(flags, terminal);
      return what === 'default' ? printDefault(flags, terminal) : printStep(what, flags, terminal);
    });
  addLayoutOptions(command);
}

async function printTables(flags: SqlFlags, terminal: Terminal): Promise<void> {
  const { for: holder, table: tableName } = flags;
  printStatements(await createStatements({ database: databaseOf(flags), holder, tableName }), terminal);
}

async function printFunctions(flags: SqlFlags, terminal: Terminal): Promise<void> {
  const database = databaseOf(flags);
  const { createFunctions } = await import('./sql/functions.js');
  const layout = await layoutFrom(flags);
  printStatements(createFunctions({ database, layout, schema: flags.schema }), terminal);
}

function databaseOf({ dialect }: SqlFlags): DatabaseName {
  if (dialect !== undefined) return dialect;
  const remedy = `Add --dialect and one of ${Object.keys(DATABASES).join(', ')}.`;
  throw new InvalidOptionError('--dialect', undefined, 'is missing', remedy);
}

async function printDefault(flags: SqlFlags, terminal: Terminal): Promise<void> {
  const { dialect, namespace, table: tableName, back } = flags;
  if (dialect !== 'postgres') {
    const problem =
      dialect === undefined ? 'is missing' : 'has no default that is safe with copies of the database';
    throw new InvalidOptionError(
      '--dialect',
      dialect,
      problem,
      'Pass --dialect postgres, or let the app generate the IDs.',
    );
  }
  const { createIdDefault, dropIdDefault } = await import('./sql/id-default.js');
  if (back) {
    printStatements(dropIdDefault(), terminal);
    return;
  }
  if (namespace === undefined) {
    const remedy = 'Name the ID space of the app, e.g. --namespace shop.';
    throw new InvalidOptionError('--namespace', undefined, 'is missing', remedy);
  }
  NAMESPACE.check('--namespace', namespace);
  const layout = await layoutFrom(flags);
  const datacenterId = requireWholeNumber(
    '--datacenter-id',
    Number(flags.datacenterId),
    0,
    layout.maxDatacenterId,
  );
  printStatements(await createIdDefault({ namespace, layout, datacenterId, tableName }), terminal);
}

async function printStep(step: StepName, flags: SqlFlags, terminal: Terminal): Promise<void> {
  const { back } = flags;
  const migration = await migrationFor(flags);
  const statements = migration[step][back ? 'back' : 'forward'];
  if (statements.length === 0) {
    terminal.printError('Nothing to do: no column of this database needs this step.\n');
    terminal.exitCode = EXIT.unchanged;
    return;
  }
  const head = `-- ${back ? 'Undoes step' : 'Step'} "${step}". Run it in one session that stops at the first error.`;
  printStatements([head, ...statements], terminal);
}

async function migrationFor({ dataSource, database, keys }: SqlFlags): Promise<Migration> {
  if (database !== undefined && dataSource === undefined) {
    const remedy = 'Name each key that gets IDs, e.g. --keys orders.id lines.id.';
    if (keys === undefined) throw new InvalidOptionError('--keys', undefined, 'is missing', remedy);
    const { migrationOfDatabase } = await import('./sql/database-migration.js');
    return migrationOfDatabase(database, keys, TIMEOUT_MS);
  }
  if (dataSource === undefined || database !== undefined || keys !== undefined) {
    const remedy =
      'Pass --data-source FILE, which exports the TypeORM DataSource of the app, or --database URL and --keys.';
    const problem = dataSource === undefined ? 'is missing' : 'conflicts with --database and --keys';
    throw new InvalidOptionError('--data-source', dataSource, problem, remedy);
  }
  const options = await loadOrmOptions(dataSource);
  const { migrationOf } = await withPackage('typeorm', COMMAND, () => import('./sql/migration.js'));
  return migrationOf(options, TIMEOUT_MS);
}

function printStatements(statements: readonly string[], terminal: Terminal): void {
  for (const statement of statements) {
    terminal.print(statement.startsWith('--') ? `${statement}\n` : `${statement};\n`);
  }
}
