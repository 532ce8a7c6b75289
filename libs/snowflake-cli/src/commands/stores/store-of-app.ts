import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { InvalidOptionError } from 'nestjs-snowflake/core';
import { compilerOf } from 'nestjs-snowflake/internal/setup/host/app-compiler';
import { Source } from 'nestjs-snowflake/internal/setup/source';
import type { ts, TypeScript } from 'nestjs-snowflake/internal/setup/typescript';
import { diskFiles } from '../setup/disk-files.js';
import type { StoreFlags } from './store-flags.js';

/** What the sources of an app say, as flags. Only `init` has the last two. */
export interface FlagsOfApp extends Pick<
  StoreFlags,
  'redis' | 'database' | 'namespace' | 'table' | 'schema'
> {
  readonly epoch?: string;
  readonly minReplicas?: string;
}

const SOURCES = 'src';
const FACTORIES = { redisLeaseStore: 'redis', sqlLeaseStore: 'database' } as const;
type Factory = keyof typeof FACTORIES;
/** Settings that all processes of a namespace must share, and that the CLI doesn't read from sources. */
const SHARED = ['layout', 'windowMs', 'maxSkewMs', 'firstWorkerId', 'workerCount', 'datacenterId'];

/**
 * Finds the store of the app in a folder, as its sources in `src` configure it: the one call of `redisLeaseStore()` or
 * `sqlLeaseStore()`, with the address that it reads from the environment or from `.env`.
 *
 * @throws InvalidOptionError if there is no such call, or what it depends on can't be read from the sources
 */
export function storeOfApp(folder: string, environment: NodeJS.ProcessEnv): FlagsOfApp {
  const compiler = compilerOf(folder);
  if (!compiler) throw notFound('the folder has no installed TypeScript to read the app with');
  const files = diskFiles(folder);
  const sources = files
    .below(SOURCES)
    .filter((path) => /\.[cm]?ts$/.test(path) && !/\.(spec|test|d)\.[cm]?ts$/.test(path))
    .map((path) => new Source(compiler as TypeScript, path, files.read(path) ?? ''));
  const users = sources.filter((source) => importsFrom(source, LIBRARY));
  const calls = users.flatMap((source) => [...storeCalls(source)]);
  const [call] = calls;
  if (!call) throw notFound('the sources of the app have no call of redisLeaseStore() or sqlLeaseStore()');
  if (calls.length > 1) throw notFound('the sources of the app have more than one store');
  const epoch = epochOf(users);
  const values = valuesOf(folder, environment);
  return { ...flagsOf(call, values, () => urlOfTypeOrm(sources, values)), epoch };
}

interface StoreCall {
  readonly source: Source;
  readonly factory: Factory;
  readonly options: ts.Expression | undefined;
}

const LIBRARY = /^['"]nestjs-snowflake(\/|['"]$)/;
/** The types of DataSources that can hold leases. */
const DATA_SOURCES = ['postgres', 'mysql', 'mariadb', 'better-sqlite3'];
const TYPEORM = /^['"](@nestjs\/)?typeorm['"]$/;

function importsFrom(source: Source, specifier: RegExp): boolean {
  return source.imports().some(({ moduleSpecifier }) => specifier.test(moduleSpecifier.getText()));
}

function* storeCalls(source: Source): Generator<StoreCall> {
  for (const node of source.nodes()) {
    if (!source.ts.isCallExpression(node)) continue;
    const factory = node.expression.getText();
    if (Object.hasOwn(FACTORIES, factory))
      yield { source, factory: factory as Factory, options: node.arguments[0] };
  }
}

/** Options whose text is a flag. */
const FLAGS: Readonly<Record<string, string>> = {
  namespace: 'namespace',
  schema: 'schema',
  tableName: 'table',
};

function flagsOf(
  { source, factory, options }: StoreCall,
  values: NodeJS.ProcessEnv,
  dataSourceUrl: () => string,
): FlagsOfApp {
  const where = `${factory}() in ${source.path}`;
  if (!options || !source.ts.isObjectLiteralExpression(options))
    throw notFound(`${where} has no options between braces`);
  const flags: Record<string, string> = {};
  for (const property of options.properties) {
    const name = property.name?.getText() ?? property.getText();
    const value = source.ts.isPropertyAssignment(property) ? property.initializer : undefined;
    const text = value && textOf(source, value);
    const flag = FLAGS[name];
    if (flag !== undefined && text !== undefined) flags[flag] = text;
    else if (name === 'dataSource') flags['database'] = dataSourceUrl();
    else if (name === 'url' && value) flags[FACTORIES[factory]] = text ?? variableValue(value, where, values);
    else if (name === 'minReplicas' && value && source.ts.isNumericLiteral(value))
      flags['minReplicas'] = value.text;
    else if (name !== 'createTable')
      throw notFound(`the option ${name} of ${where} can't be read from the sources`);
  }
  for (const name of ['namespace', FACTORIES[factory]]) {
    if (flags[name] === undefined) throw notFound(`${where} has no ${name === 'namespace' ? name : 'url'}`);
  }
  return flags;
}

/** Returns the address of the one database that the app uses through TypeORM. */
function urlOfTypeOrm(sources: readonly Source[], values: NodeJS.ProcessEnv): string {
  const urls = new Set<string>();
  for (const source of sources.filter((each) => importsFrom(each, TYPEORM))) {
    for (const node of source.nodes()) {
      if (!source.ts.isObjectLiteralExpression(node)) continue;
      const [type, url, schema] = ['type', 'url', 'schema'].map((name) => valueIn(source, node, name));
      // Columns have types, too.
      if (!type || !DATA_SOURCES.includes(textOf(source, type) ?? '')) continue;
      const where = `the DataSource in ${source.path}`;
      if (!url || schema) throw notFound(`${where} has ${schema ? 'a schema' : 'no url'}`);
      urls.add(textOf(source, url) ?? variableValue(url, where, values));
    }
  }
  const [url] = urls;
  if (url !== undefined && urls.size === 1) return url;
  throw notFound(
    `the sources of the app have ${urls.size === 0 ? 'no' : 'more than one'} DataSource with a url`,
  );
}

function valueIn(
  { ts }: Source,
  { properties }: ts.ObjectLiteralExpression,
  name: string,
): ts.Expression | undefined {
  const found = properties.find((each) => each.name?.getText() === name);
  return found && ts.isPropertyAssignment(found) ? found.initializer : undefined;
}

/** `process.env.NAME`, or `config.getOrThrow('NAME')`. */
const VARIABLE = /^(?:process\.env\.(\w+)!?|[\w.]+\.get(?:OrThrow)?(?:<string>)?\(['"](\w+)['"]\)!?)$/;

function variableValue(value: ts.Expression, where: string, values: NodeJS.ProcessEnv): string {
  const [, ofProcess, ofConfig] = VARIABLE.exec(value.getText()) ?? [];
  const name = ofProcess ?? ofConfig;
  if (name === undefined) throw notFound(`the url of ${where} is no environment variable`);
  const found = values[name];
  if (found) return found;
  throw notFound(`${where} reads ${name}, which neither the environment nor .env sets`);
}

/** The environment comes first, as in Nest's ConfigModule. */
function valuesOf(folder: string, environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  try {
    return { ...parseEnv(readFileSync(join(folder, '.env'), 'utf8')), ...environment };
  } catch (error) {
    if (Reflect.get(Object(error), 'code') === 'ENOENT') return environment;
    throw error;
  }
}

/** Returns the one epoch of the app, or `undefined` for the default. */
function epochOf(sources: readonly Source[]): string | undefined {
  const epochs = new Set<string>();
  for (const source of sources) {
    for (const node of source.nodes()) {
      if (hidesOptions(source, node)) throw notFound(`the options in ${source.path} come from elsewhere (…)`);
      const isProperty =
        source.ts.isPropertyAssignment(node) || source.ts.isShorthandPropertyAssignment(node);
      const name = isProperty ? node.name.getText() : '';
      if (SHARED.includes(name))
        throw notFound(`${source.path} sets ${name}, which all processes must share`);
      if (name !== 'epoch') continue;
      const text = source.ts.isPropertyAssignment(node) ? textOf(source, node.initializer) : undefined;
      if (text === undefined) throw notFound(`the epoch in ${source.path} is no text`);
      epochs.add(text);
    }
  }
  if (epochs.size > 1) throw notFound('the sources of the app have more than one epoch');
  return [...epochs][0];
}

/** Whether the options of a module come in part from another object, which can set the epoch or the layout. */
function hidesOptions({ ts }: Source, node: ts.Node): boolean {
  return (
    ts.isObjectLiteralExpression(node) &&
    node.properties.some((each) => each.name?.getText() === 'store') &&
    node.properties.some((each) => ts.isSpreadAssignment(each))
  );
}

function textOf({ ts }: Source, value: ts.Expression): string | undefined {
  return ts.isStringLiteralLike(value) ? value.text : undefined;
}

function notFound(reason: string): InvalidOptionError {
  return new InvalidOptionError(
    '--redis',
    undefined,
    `is missing, and the store of the app can't be found: ${reason}`,
    'Give --redis URL, --database URL, --etcd URL or --zookeeper HOSTS, each with --namespace, or --options FILE.',
  );
}
