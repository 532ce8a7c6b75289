import type { Tally } from './tally.js';

/** Column widths of the lines about fault classes. */
const NAME_WIDTH = 14;

export function reportHead(): string {
  const columns = ['seeds', 'IDs', 'duplicates', 'stamp error p50', 'p99', 'failed attempts'];
  return `${'fault class'.padEnd(NAME_WIDTH)}${columns.map((column, at) => column.padStart(WIDTHS[at] ?? 0)).join('')}`;
}

const WIDTHS = [8, 15, 12, 17, 12, 17];

/** One line about a class of faults. */
export function reportLine(fault: string, tally: Tally): string {
  const cells = [
    String(tally.seeds),
    tally.sum.ids.toLocaleString('en'),
    String(tally.sum.duplicates),
    duration(tally.stampErrors.quantile(0.5)),
    duration(tally.stampErrors.quantile(0.99)),
    `${(100 * tally.failedShare).toFixed(2)} %`,
  ];
  return `${fault.padEnd(NAME_WIDTH)}${cells.map((cell, at) => cell.padStart(WIDTHS[at] ?? 0)).join('')}`;
}

function duration(ms: number): string {
  return ms < 10_000 ? `${ms} ms` : `${(ms / 1000).toFixed(0)} s`;
}

/**
 * Duplicates per million IDs of several protocols under several classes of faults. A dot for none, an `o` where two
 * holders had one worker ID at one time and only luck kept their IDs apart.
 *
 * @param tallyOf the runs of a protocol under a class of faults, if there were any
 */
export function reportTable(
  protocols: readonly string[],
  faults: readonly string[],
  tallyOf: (protocol: string, fault: string) => Tally | undefined,
): string {
  const protocolWidth = Math.max(...protocols.map((name) => name.length)) + 2;
  const widths = faults.map((fault) => Math.max(fault.length, 7) + 2);
  const row = (name: string, cells: readonly string[]): string =>
    name.padEnd(protocolWidth) + cells.map((cell, at) => cell.padStart(widths[at] ?? 0)).join('');
  const lines = protocols.map((protocol) =>
    row(
      protocol,
      faults.map((fault) => rate(tallyOf(protocol, fault))),
    ),
  );
  return [row('', faults), ...lines].join('\n');
}

function rate(tally: Tally | undefined): string {
  if (!tally) return '';
  const perMillion = tally.duplicatesPerMillion;
  if (perMillion === 0) return tally.sum.interleavedTenures > 0 ? 'o' : '.';
  return perMillion < 10 ? perMillion.toFixed(2) : Math.round(perMillion).toLocaleString('en');
}

/** Share of failed attempts, for mechanisms that are there for liveness. */
export function reportFailedShares(
  protocols: readonly string[],
  faults: readonly string[],
  tallyOf: (protocol: string, fault: string) => Tally | undefined,
): string {
  const lines = protocols.map((protocol) => {
    const shares = faults.map((fault) => {
      const tally = tallyOf(protocol, fault);
      return tally ? `${fault} ${(100 * tally.failedShare).toFixed(2)} %` : '';
    });
    return `${protocol.padEnd(20)} ${shares.filter(Boolean).join(', ')}`;
  });
  return lines.join('\n');
}
