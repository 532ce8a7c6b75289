import { InvalidOptionError } from 'nestjs-snowflake/core';
import { type KeeperSettings, keeperSettings } from 'nestjs-snowflake/internal/lease/lease-options';
import { layoutFrom } from '../../settings/layout-options.js';
import type { StoreFlags } from '../stores/store-flags.js';
import type { StoreSource, Subject } from '../stores/store-source.js';

/** What the parser passes to the action of `init`. */
export interface InitFlags extends StoreFlags {
  readonly layout?: string;
  readonly epoch?: string;
  readonly windowMs?: string;
  readonly maxSkewMs?: string;
  readonly firstWorkerId?: string;
  readonly workerCount?: string;
  readonly minReplicas?: string;
  readonly createTable?: true;
  readonly newBeside?: string;
  readonly yes?: true;
}

/** The flags that conflict with `--options`, because the options of the app have these settings. */
const APP_SETTINGS = {
  layout: '--layout',
  epoch: '--epoch',
  windowMs: '--window-ms',
  maxSkewMs: '--max-skew-ms',
  firstWorkerId: '--first-worker-id',
  workerCount: '--worker-count',
  minReplicas: '--min-replicas',
} as const satisfies Partial<Record<keyof InitFlags, string>>;

/** Returns the settings of the namespace, from the options of the app or from the flags. @throws InvalidOptionError */
export async function settingsOf({ app }: Subject, flags: InitFlags): Promise<KeeperSettings> {
  const layout = await layoutFrom(flags);
  if (flags.options === undefined) {
    const lease = {
      windowMs: numberOf(flags.windowMs),
      maxSkewMs: numberOf(flags.maxSkewMs),
      firstWorkerId: numberOf(flags.firstWorkerId),
      workerCount: numberOf(flags.workerCount),
    };
    return keeperSettings(layout, lease);
  }
  for (const [name, flag] of Object.entries(APP_SETTINGS)) {
    const value = flags[name as keyof typeof APP_SETTINGS];
    if (value === undefined) continue;
    const remedy = 'Omit it: the namespace gets the settings of the app.';
    throw new InvalidOptionError(flag, value, 'conflicts with --options', remedy);
  }
  return keeperSettings(layout, app.lease ?? {}, app.onClockRollback, app.datacenterId);
}

/** Returns the store with the settings of the flags. @throws InvalidOptionError for a flag that the store doesn't support */
export function sourceFor(source: StoreSource, { minReplicas, createTable }: InitFlags): StoreSource {
  if (createTable && source.kind !== 'sql') {
    throw new InvalidOptionError(
      '--create-table',
      createTable,
      'needs a database',
      'Omit it: this store has no tables.',
    );
  }
  if (minReplicas === undefined) return source;
  if (source.kind !== 'redis') {
    throw new InvalidOptionError(
      '--min-replicas',
      minReplicas,
      'needs Redis',
      'Omit it: this store has no replicas.',
    );
  }
  return { kind: 'redis', options: { ...source.options, minReplicas: Number(minReplicas) } };
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}
