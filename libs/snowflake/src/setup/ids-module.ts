import type { LeasePlace } from './lease-place.js';

/** The name of the module that the setup writes. */
export const IDS_MODULE = 'IdsModule';

/** What the text of the module depends on. */
export interface IdsModuleForm {
  readonly place: LeasePlace;
  readonly namespace: string;
  /** Whether settings come from Nest's ConfigService. */
  readonly hasConfigModule: boolean;
  /** Whether the store creates its tables. */
  readonly createsTables: boolean;
}

export const REDIS_URL = 'REDIS_URL';
const EPOCH = "epoch: '2024-01-01T00:00:00Z', // never change it later";
const LEASE_FILE = 'sqlite:snowflake-leases.sqlite';

/** Returns the lines of `ids.module.ts`, at most 80 columns wide, as Prettier writes them. */
export function idsModuleLines(form: IdsModuleForm): string[] {
  const { place } = form;
  return [
    ...importLines(form),
    '',
    '@Module({',
    '  imports: [',
    ...indented(2, place.store === 'memory' ? memoryLines() : leaseLines(form)),
    '  ],',
    '})',
    `export class ${IDS_MODULE} {}`,
  ];
}

/** Returns the environment variable from which the module reads the address of its store, if it reads one. */
export function variableOf(place: LeasePlace): string | undefined {
  if (place.store === 'redis') return REDIS_URL;
  if (place.store !== 'sql' || place.over === 'dataSource' || place.dialect === 'sqlite') return undefined;
  return place.variable;
}

function importLines(form: IdsModuleForm): string[] {
  const { place } = form;
  const module = "import { Module } from '@nestjs/common';";
  if (place.store === 'memory')
    return [module, "import { memoryLeaseStore, SnowflakeModule } from 'nestjs-snowflake';"];
  const entryPoint = place.store === 'redis' ? 'redis' : 'sql';
  return [
    module,
    ...(readsConfig(form) ? ["import { ConfigModule, ConfigService } from '@nestjs/config';"] : []),
    "import { SnowflakeModule } from 'nestjs-snowflake';",
    `import { ${factoryOf(place)} } from 'nestjs-snowflake/${entryPoint}';`,
    ...(isOnDataSource(place) ? ["import { DataSource } from 'typeorm';"] : []),
  ];
}

function memoryLines(): string[] {
  return [
    'SnowflakeModule.forRoot({',
    `  ${EPOCH}`,
    '  // For one process. In production, lease worker IDs in Redis or SQL.',
    '  store: memoryLeaseStore(),',
    '}),',
  ];
}

function leaseLines(form: IdsModuleForm): string[] {
  const { place, namespace, createsTables } = form;
  const storeLines = [
    ...addressLines(form),
    `namespace: '${namespace}',`,
    ...(createsTables ? ['createTable: true, // in production, use a migration'] : []),
  ];
  return [
    'SnowflakeModule.forRootAsync({',
    ...indented(1, injectLines(form)),
    ...indented(2, [EPOCH, `store: ${factoryOf(place)}({`, ...indented(1, storeLines), '}),']),
    '  }),',
    '}),',
  ];
}

function injectLines(form: IdsModuleForm): string[] {
  if (isOnDataSource(form.place))
    return ['inject: [DataSource],', 'useFactory: (dataSource: DataSource) => ({'];
  if (!readsConfig(form)) return ['useFactory: () => ({'];
  return [
    'imports: [ConfigModule],',
    'inject: [ConfigService],',
    'useFactory: (config: ConfigService) => ({',
  ];
}

function addressLines(form: IdsModuleForm): string[] {
  const { place } = form;
  if (isOnDataSource(place)) return ['dataSource,'];
  const variable = variableOf(place);
  if (variable === undefined) return [`url: '${LEASE_FILE}',`];
  const schema = place.store === 'sql' && place.over === 'url' ? place.schema : undefined;
  return [
    readsConfig(form) ? `url: config.getOrThrow<string>('${variable}'),` : `url: process.env.${variable},`,
    ...(schema === undefined ? [] : [`schema: '${schema}',`]),
  ];
}

function readsConfig({ place, hasConfigModule }: IdsModuleForm): boolean {
  return hasConfigModule && variableOf(place) !== undefined;
}

function isOnDataSource(place: LeasePlace): boolean {
  return place.store === 'sql' && place.over === 'dataSource';
}

function factoryOf({ store }: LeasePlace): string {
  return store === 'redis' ? 'redisLeaseStore' : 'sqlLeaseStore';
}

function indented(depth: number, lines: readonly string[]): string[] {
  return lines.map((line) => '  '.repeat(depth) + line);
}
