import type { Command } from 'commander';
import { IdDecoder } from '../../core/index.js';
import type { Terminal } from '../frame/terminal.js';
import { addLayoutOptions, layoutFrom, type LayoutFlags } from '../settings/layout-options.js';

/** Adds `decode`. */
export function addDecode(program: Command, terminal: Terminal): void {
  const command = program.command('decode [id...]').description('Shows the fields of IDs.');
  addLayoutOptions(command).action(async (ids: string[], flags: LayoutFlags) => {
    const decoder = new IdDecoder(await layoutFrom(flags));
    for (const id of ids) terminal.print(`${JSON.stringify(decoder.decode(id))}\n`);
  });
}
