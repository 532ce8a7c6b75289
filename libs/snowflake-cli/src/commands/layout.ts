import type { Command } from 'commander';
import {
  BitLayout,
  InvalidOptionError,
  type LayoutDemands,
  type LayoutSuggestion,
  suggestLayout,
} from 'nestjs-snowflake/core';
import type { Terminal } from '../frame/terminal.js';
import { readInstant } from '../settings/instant-text.js';
import { wholeNumberOption } from '../settings/whole-number.js';

/** The flag for each property of the demands. */
const FLAGS = {
  years: '--years',
  workers: '--workers',
  idsPerSecondPerWorker: '--rate',
  tickMs: '--tick-ms',
  epoch: '--epoch',
} as const;
const DEMAND = /\b(years|workers|idsPerSecondPerWorker|tickMs|epoch)\b(: )?/g;

interface LayoutDemandFlags {
  readonly years: number;
  readonly workers: number;
  readonly rate: number;
  readonly tickMs?: number;
  readonly epoch?: string;
  readonly json?: true;
}

/** Adds `layout`. */
export function addLayout(program: Command, terminal: Terminal): void {
  program
    .command('layout')
    .description('Calculate a layout for your needs, and print the options to paste.')
    .addOption(
      wholeNumberOption(
        '--years <count>',
        'how many years the layout must last, from the epoch',
      ).makeOptionMandatory(),
    )
    .addOption(
      wholeNumberOption(
        '--workers <count>',
        'how many processes need a worker ID at once, including both versions during a deploy and crashed ones',
      ).makeOptionMandatory(),
    )
    .addOption(
      wholeNumberOption(
        '--rate <count>',
        'how many IDs one process generates per second (idsPerSecondPerWorker)',
      ).makeOptionMandatory(),
    )
    .addOption(wholeNumberOption('--tick-ms <ms>', 'unit of the timestamp, in milliseconds (default: 1)'))
    .option('--epoch <instant>', 'instant at which timestamps begin (default: 2024-01-01T00:00:00Z)')
    .option('--json', 'print a JSON object')
    .action(({ years, workers, rate, tickMs, epoch, json }: LayoutDemandFlags) => {
      const suggestion = suggestedFor({
        years,
        workers,
        idsPerSecondPerWorker: rate,
        tickMs,
        epoch: epoch === undefined ? undefined : readInstant('--epoch', epoch),
      });
      const fits = defaultFits(suggestion);
      terminal.print(
        json ? `${JSON.stringify({ defaultFits: fits, ...suggestion })}\n` : asText(suggestion, fits),
      );
    });
}

/** @throws InvalidOptionError that names the flags instead of the properties */
function suggestedFor(demands: LayoutDemands): LayoutSuggestion {
  try {
    return suggestLayout(demands);
  } catch (error) {
    if (!(error instanceof InvalidOptionError)) throw error;
    const { option, value, problem, remedy } = error;
    throw new InvalidOptionError(inFlags(option), value, problem, inFlags(remedy), inFlags(error.message));
  }
}

/** Writes `workers: 4` as `--workers 4`. */
function inFlags(text: string): string {
  return text.replace(DEMAND, (_, name: keyof typeof FLAGS, colon = '') => FLAGS[name] + (colon && ' '));
}

/** Returns whether the layout without options meets the demands, except for the epoch. */
function defaultFits({ neededBits: needed, layout: { tickMs } }: LayoutSuggestion): boolean {
  const { timestamp, worker, sequence } = Object.fromEntries(
    new BitLayout().fields.map(({ name, bits }) => [name, bits]),
  );
  return (
    tickMs === new BitLayout().tickMs &&
    needed.timestamp <= (timestamp ?? 0) &&
    needed.worker <= (worker ?? 0) &&
    needed.sequence <= (sequence ?? 0)
  );
}

/** The default comes first if it fits: everybody's tools know it, and a layout can't be changed later. */
function asText(suggestion: LayoutSuggestion, fits: boolean): string {
  if (!fits) return `The default layout doesn't fit. This one does:\n\n${asOptions(suggestion)}`;
  const { maxWorkerId, idsPerTick, tickMs, expiresAt } = new BitLayout({}, suggestion.epoch);
  const rate = Math.floor((idsPerTick * 1000) / tickMs);
  return (
    `The default layout fits: ${maxWorkerId + 1} worker IDs, ${rate} IDs per second each, until ` +
    `${expiresAt.toISOString().slice(0, 10)}. Omit the option layout.\n\n` +
    `For exactly these values:\n\n${asOptions(suggestion)}`
  );
}

function asOptions({ layout, epoch, explanation }: LayoutSuggestion): string {
  const fields = Object.entries(layout).map(([name, value]) => `${name}: ${value}`);
  return `layout: { ${fields.join(', ')} },\nepoch: '${epoch}',\n\n${explanation}\n`;
}
