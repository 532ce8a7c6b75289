import type { Command } from 'commander';
import { type CodecName, codecNamed } from 'nestjs-snowflake/internal/core/codecs/text-codecs';
import { type BitLayout, IdDecoder, InvalidOptionError } from 'nestjs-snowflake/core';
import type { Terminal } from '../frame/terminal.js';
import { codecOption } from '../ids/text-codecs.js';
import { readTime, TIME_HELP } from '../settings/instant-text.js';
import { addLayoutOptions, layoutFrom, type LayoutFlags } from '../settings/layout-options.js';
import { wholeNumberOption } from '../settings/whole-number.js';

interface ComposeFlags extends LayoutFlags {
  readonly time: string;
  readonly worker: number;
  readonly datacenter: number;
  readonly sequence: number;
  readonly codec: CodecName;
  readonly json?: true;
}

/** Adds `compose`. */
export function addCompose(program: Command, terminal: Terminal): void {
  const command = program
    .command('compose')
    .description(
      'Compose an ID from its fields, for queries and tests. The ID is not unique: never insert it.',
    )
    .requiredOption('--time <time>', TIME_HELP)
    .addOption(wholeNumberOption('--worker <id>', 'worker ID').makeOptionMandatory())
    .addOption(wholeNumberOption('--datacenter <id>', 'datacenter ID').default(0))
    .addOption(wholeNumberOption('--sequence <number>', 'sequence').default(0))
    .addOption(codecOption('text form of the ID').default('decimal'));
  addLayoutOptions(command)
    .option('--json', 'print a JSON object')
    .action(async (flags: ComposeFlags) => {
      const layout = await layoutFrom(flags);
      const id = layout.compose({
        tick: tickOf(flags.time, layout, terminal.now()),
        datacenterId: flags.datacenter,
        workerId: flags.worker,
        sequence: flags.sequence,
      });
      const output = codecNamed(flags.codec, layout).encode(id);
      const fields = new IdDecoder(layout).decode(String(id)).toJSON();
      terminal.print(`${flags.json ? JSON.stringify({ output, ...fields }) : output}\n`);
    });
}

function tickOf(time: string, layout: BitLayout, nowMs: number): number {
  const tick = layout.tickAt(readTime('--time', time, nowMs).getTime());
  if (tick >= 0 && tick <= layout.maxTick) return tick;
  const [from, until] = [new Date(layout.epochMs), layout.expiresAt].map((end) => end.toISOString());
  throw new InvalidOptionError(
    '--time',
    time,
    'is outside the range of the layout',
    `Use a time from ${from} to ${until}, or another --epoch or --layout.`,
  );
}
