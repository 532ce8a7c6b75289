import type { Command } from 'commander';
import { type BitLayout, IdDecoder } from 'nestjs-snowflake/core';
import type { Terminal } from '../frame/terminal.js';
import { TIME_HELP } from '../settings/instant-text.js';
import { RANGE_HELP, readRange } from '../settings/range-text.js';
import { addLayoutOptions, layoutFrom, type LayoutFlags } from '../settings/layout-options.js';

interface RangeFlags extends LayoutFlags {
  readonly json?: true;
}

/** Adds `range`. */
export function addRange(program: Command, terminal: Terminal): void {
  const command = program
    .command('range')
    .description('Print the ID bounds of a time range, ready for SQL.')
    .argument('<from>', `start of the range, included: ${TIME_HELP}, ${RANGE_HELP}`)
    .argument('[to]', 'end of the range, excluded; may be omitted after a day or a time before now');
  addLayoutOptions(command)
    .option('--json', 'print a JSON object')
    .action(async (fromText: string, toText: string | undefined, flags: RangeFlags) => {
      const layout = await layoutFrom(flags);
      const [from, to] = readRange(fromText, toText, terminal.now());
      const { first, before } = new IdDecoder(layout).idRange(from, to);
      terminal.print(
        flags.json
          ? `${JSON.stringify({ from, to, first, before })}\n`
          : `first   ${first}\nbefore  ${before}\n\nWHERE id >= ${first} AND id < ${before}\n`,
      );
      if (first === before) terminal.printError(`warning: No ID is in this range. ${whyEmpty(to, layout)}\n`);
    });
}

function whyEmpty(to: Date, { epochMs, tickMs }: BitLayout): string {
  return to.getTime() <= epochMs
    ? `The range ends before the epoch, ${new Date(epochMs).toISOString()}. Check --epoch and --layout.`
    : `No tick of ${tickMs} ms starts in the range.`;
}
