import { nameText } from './arrays.js';
import { importOf, isImported } from './imports.js';
import type { Manifest } from './manifest.js';
import type { Source } from './source.js';
import type { ts } from './typescript.js';

/** The array of migrations in the options of a DataSource. */
export interface MigrationsPlace {
  readonly source: Source;
  readonly options: ts.ObjectLiteralExpression;
}

/** How the app uses TypeORM. */
export interface TypeOrmUse {
  /** The `type` of its DataSource, if it is written in the sources. */
  readonly type: string | undefined;
  /** Whether the database is one that no other connection sees. */
  readonly isInMemory: boolean;
  /** Whether `DataSource` itself is the token of a DataSource. With names only, it isn't. */
  readonly hasDefault: boolean;
  /** Where the app lists its migrations. */
  readonly migrations: readonly MigrationsPlace[];
  /** Whether migrations create the tables of the app. */
  readonly migrates: boolean;
  /** The script that runs them, if the app has one. */
  readonly script: string | undefined;
}

const TYPES: readonly string[] = [
  'postgres mysql mariadb better-sqlite3 sqlite cockroachdb mssql oracle mongodb sqljs spanner sap aurora-mysql',
  'aurora-postgres cordova expo react-native nativescript capacitor',
].flatMap((names) => names.split(' '));
const COMPANIONS: readonly string[] = [
  'type',
  'url',
  'host',
  'database',
  'entities',
  'migrationsRun',
  'synchronize',
];

/** Returns how the app uses TypeORM through Nest; `undefined` if it doesn't. */
export function typeOrmUse(sources: readonly Source[], { scripts }: Manifest): TypeOrmUse | undefined {
  const members = sources.flatMap((source) => [...optionMembers(source)]);
  const roots = sources.flatMap((source) => [...rootCalls(source)]);
  if (roots.length === 0) return undefined;
  const migrations = members.filter(
    (each) => each.name === 'migrations' && each.value.isArray && areOptions(each),
  );
  const script = Object.keys(scripts).find((name) => scripts[name]?.includes('migration:run'));
  return {
    type: members.find(({ name, value }) => name === 'type' && TYPES.includes(value.text ?? ''))?.value.text,
    isInMemory: members.some(({ name, value }) => name === 'database' && value.text === ':memory:'),
    hasDefault: roots.some((name) => name === undefined || name === 'default'),
    migrations,
    migrates:
      Object.values(scripts).some((command) => command.includes('migration:')) ||
      members.some(({ name, value }) => name === 'migrationsRun' && value.isTrue) ||
      sources.some(declaresMigration),
    script,
  };
}

interface Member extends MigrationsPlace {
  readonly name: string;
  readonly value: { readonly text?: string; readonly isTrue?: boolean; readonly isArray?: boolean };
}

/** Whether a file is a migration. A list of paths says little: templates have it, and no migration. */
function declaresMigration(source: Source): boolean {
  return importOf(source, 'MigrationInterface')?.from === 'typeorm';
}

/** Yields the members of object literals. */
function* optionMembers(source: Source): Generator<Member> {
  const { ts } = source;
  for (const node of source.nodes()) {
    if (!ts.isObjectLiteralElement(node) || !ts.isObjectLiteralExpression(node.parent)) continue;
    const name = node.name && nameText(source, node.name);
    if (name === undefined) continue;
    if (ts.isPropertyAssignment(node))
      yield { source, options: node.parent, name, value: valueOf(source, node.initializer) };
    // A variable of this name holds the list.
    else if (ts.isShorthandPropertyAssignment(node) && name === 'migrations')
      yield { source, options: node.parent, name, value: { isArray: true } };
  }
}

/** Whether an object is the options of a DataSource, by the company that its migrations keep. */
function areOptions({ source, options }: Member): boolean {
  return options.properties.some(
    (each) =>
      source.ts.isSpreadAssignment(each) ||
      (each.name !== undefined && COMPANIONS.includes(nameText(source, each.name) ?? '')),
  );
}

function valueOf({ ts }: Source, node: ts.Expression): Member['value'] {
  if (ts.isStringLiteralLike(node)) return { text: node.text };
  if (ts.isArrayLiteralExpression(node)) return { isArray: true };
  return { isTrue: node.kind === ts.SyntaxKind.TrueKeyword };
}

/** Yields the name of the DataSource of each `TypeOrmModule.forRoot()`. */
function* rootCalls(source: Source): Generator<string | undefined> {
  const { ts } = source;
  for (const node of source.nodes()) {
    if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) continue;
    const { expression, name } = node.expression;
    if (
      !isImported(source, expression, 'TypeOrmModule', '@nestjs/typeorm') ||
      !name.text.startsWith('forRoot')
    )
      continue;
    const [options] = node.arguments;
    const members = options && ts.isObjectLiteralExpression(options) ? options.properties : [];
    const named = members.find((each) => each.name && nameText(source, each.name) === 'name');
    yield named && ts.isPropertyAssignment(named)
      ? (valueOf(source, named.initializer).text ?? '')
      : undefined;
  }
}
