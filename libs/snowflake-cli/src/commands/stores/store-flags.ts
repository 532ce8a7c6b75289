import type { Command } from 'commander';
import { requireWholeNumber } from 'nestjs-snowflake/internal/core/options/option-checks';
import { APP_OPTIONS_FLAG, APP_OPTIONS_HELP } from '../../settings/layout-options.js';

/** What the parser passes to the action of a command with {@link addStoreFlags}. */
export interface StoreFlags {
  readonly redis?: string;
  readonly database?: string;
  readonly etcd?: string;
  readonly zookeeper?: string;
  readonly namespace?: string;
  readonly table?: string;
  readonly schema?: string;
  readonly options?: string;
  readonly timeoutMs: string;
}

const DEFAULT_TIMEOUT_MS = '5000';

/** Adds the options that name a store. */
export function addStoreFlags(command: Command): Command {
  return addServerFlags(command).option(APP_OPTIONS_FLAG, APP_OPTIONS_HELP);
}

/** Adds the options that name a store by its server, for a command that has `--options` already. */
export function addServerFlags(command: Command): Command {
  return command
    .option('--redis <url>', 'Redis server: redis://… or rediss://…')
    .option('--database <url>', 'database: postgres://…, mysql://…, mariadb://… or sqlite:FILE')
    .option('--etcd <url>', 'etcd member: http://… or https://…')
    .option('--zookeeper <hosts>', 'ZooKeeper ensemble: HOST:PORT,HOST:PORT,…')
    .option('--namespace <name>', 'ID space, with --redis, --database, --etcd or --zookeeper')
    .option('--table <name>', 'table of worker IDs, with --database (default: snowflake_lease)')
    .option('--schema <name>', 'schema of that table on PostgreSQL (default: that of the connection)')
    .option('--timeout-ms <ms>', 'timeout of each call to the server, in milliseconds', DEFAULT_TIMEOUT_MS);
}

/** Returns `--timeout-ms`. @throws InvalidOptionError */
export function timeoutOf({ timeoutMs }: StoreFlags): number {
  return requireWholeNumber('--timeout-ms', Number(timeoutMs), 100, 600_000);
}
