import type { Command } from 'commander';
import type { BitLayout } from 'nestjs-snowflake/core';
import { layoutOf } from 'nestjs-snowflake/internal/core/layout/layout-of';
import { type AppOptions, loadAppOptions } from './app-options.js';
import { readInstant } from './instant-text.js';
import { readLayout } from './layout-text.js';

/** What the parser passes to the action of a command with {@link addLayoutOptions}. */
export interface LayoutFlags {
  readonly layout?: string;
  readonly epoch?: string;
  readonly options?: string;
}

export const APP_OPTIONS_FLAG = '--options <file[#export]>';
export const APP_OPTIONS_HELP = 'module that exports the options of your app';

/** Adds the options that describe the bit layout. */
export function addLayoutOptions(command: Command): Command {
  return command
    .option(
      '--layout <layout>',
      'preset, widths such as 41/10/12, or layout fingerprint (default: that of --options, or 41/10/12)',
    )
    .option('--epoch <instant>', 'start of the timestamps (default: that of --options or of the layout)')
    .option(APP_OPTIONS_FLAG, APP_OPTIONS_HELP);
}

/** Returns the layout that the flags describe. `--layout` and `--epoch` override `--options`. @throws InvalidOptionError */
export async function layoutFrom(flags: LayoutFlags): Promise<BitLayout> {
  const app: Partial<AppOptions> = flags.options === undefined ? {} : await loadAppOptions(flags.options);
  const { layout, epoch } = { ...app, ...(flags.layout === undefined ? {} : readLayout(flags.layout)) };
  return layoutOf(layout, flags.epoch === undefined ? epoch : readInstant('--epoch', flags.epoch));
}
