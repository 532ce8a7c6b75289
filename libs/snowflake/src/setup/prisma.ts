import { type AppFiles, folderOf } from './app-files.js';
import { nameText } from './arrays.js';
import type { Manifest } from './manifest.js';
import type { Resolver } from './resolve.js';

/** How the app uses Prisma. */
export interface PrismaUse {
  /** The `provider` of the datasource, such as `postgresql`. */
  readonly provider: string | undefined;
  /** The environment variable that holds the URL of the database. */
  readonly variable: string;
  /** The folder of the schema. */
  readonly folder: string;
  /** The names of the migrations, in the order in which Prisma runs them. */
  readonly migrations: readonly string[];
}

const DEFAULT_VARIABLE = 'DATABASE_URL';

/** Returns how the app uses Prisma; `undefined` if it doesn't. */
export function prismaUse(resolver: Resolver, manifest: Manifest): PrismaUse | undefined {
  if (manifest.packages['@prisma/client'] === undefined && manifest.packages['prisma'] === undefined)
    return undefined;
  const { files } = resolver;
  const schema = schemaPath(files, manifest);
  if (schema === undefined) return undefined;
  const datasource = datasourceOf(files.read(schema) ?? '');
  const folder = folderOf(schema).endsWith('/schema') ? folderOf(folderOf(schema)) : folderOf(schema);
  const migrations = files
    .below(`${folder === '' ? '' : `${folder}/`}migrations`)
    .filter((path) => path.endsWith('/migration.sql'))
    .map((path) => folderOf(path).split('/').at(-1) ?? '');
  return {
    provider: datasource.get('provider')?.[0],
    variable: variableOf(datasource.get('url')) ?? variableOfConfig(resolver) ?? DEFAULT_VARIABLE,
    folder,
    migrations: migrations.sort(),
  };
}

function schemaPath(files: AppFiles, { prismaSchema }: Manifest): string | undefined {
  const places = [prismaSchema, 'prisma/schema.prisma', 'schema.prisma'].filter((each) => each !== undefined);
  const whole = places.find((each) => files.read(each) !== undefined);
  // A schema can be a folder of files, one of which has the datasource.
  return (
    whole ??
    files
      .below(prismaSchema ?? 'prisma')
      .find((path) => path.endsWith('.prisma') && datasourceOf(files.read(path) ?? '').size > 0)
  );
}

/** Returns the settings of the `datasource` block, each as the words of its value. */
function datasourceOf(schema: string): Map<string, readonly string[]> {
  const lines = schema.split('\n').map((line) => line.split('//', 1)[0]?.trim() ?? '');
  const start = lines.findIndex((line) => line.startsWith('datasource '));
  const settings = new Map<string, readonly string[]>();
  if (start === -1) return settings;
  for (const line of lines.slice(start + 1)) {
    if (line.startsWith('}')) break;
    const [name = '', ...value] = line.split('=');
    settings.set(
      name.trim(),
      value
        .join('=')
        .trim()
        .split(/["()\s]+/)
        .filter(Boolean),
    );
  }
  return settings;
}

function variableOf(url: readonly string[] | undefined): string | undefined {
  return url?.[0] === 'env' ? url[1] : undefined;
}

const CONFIG = 'prisma.config.ts';

/** Since version 7, Prisma reads the URL from a TypeScript file: `env('NAME')` or `process.env.NAME`. */
function variableOfConfig(resolver: Resolver): string | undefined {
  const { ts, files } = resolver;
  if (files.read(CONFIG) === undefined) return undefined;
  const source = resolver.source(CONFIG);
  for (const node of source.nodes()) {
    if (!ts.isPropertyAssignment(node) || nameText(source, node.name) !== 'url') continue;
    for (const value of source.nodes(node.initializer)) {
      if (ts.isPropertyAccessExpression(value) && value.expression.getText() === 'process.env')
        return value.name.text;
      if (ts.isStringLiteralLike(value)) return value.text;
    }
  }
  return undefined;
}
