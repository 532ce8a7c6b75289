import type { Style, Terminal } from '../../frame/terminal.js';
import { durationText } from './duration-text.js';
import type { RegistryOverview, WorkerOverview, WorkerState } from '../../../lease/index.js';

const STYLES: Readonly<Record<WorkerState, Style>> = { held: 'green', offline: 'yellow', released: 'dim' };
const HEADINGS = ['WORKER ID', 'STATE', 'HOLDER', 'WINDOW LEFT', 'OFFLINE SINCE'];
const STATE_COLUMN = 1;
/** Line breaks, and what a terminal could take for a command or show in another order. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** Returns the overview as JSON: times as ISO 8601 in UTC, durations in milliseconds. */
export function overviewJson(store: string, overview: RegistryOverview): object {
  const { storeNowMs, layout, historyId, grantsAfterMs, total, used, counts, workers } = overview;
  return {
    store,
    storeNow: isoOf(storeNowMs),
    layout,
    historyId,
    grantsAfter: isoOf(grantsAfterMs),
    longestWindowMs: overview.longestWindowMs,
    longestMaxSkewMs: overview.longestMaxSkewMs,
    workerIds: { total, used, ...counts },
    workers: workers.map(({ fencingToken: _, offlineSinceMs, reservedUntilMs, ...worker }) => ({
      ...worker,
      offlineSince: isoOf(offlineSinceMs),
      reservedUntil: isoOf(reservedUntilMs),
    })),
  };
}

/** Returns whether nothing is stored: a misspelled namespace looks like this. */
export function isEmpty({ layout, workers }: RegistryOverview): boolean {
  return layout === undefined && workers.length === 0;
}

/** Returns the overview as a header and a table. */
export function overviewText(store: string, overview: RegistryOverview, terminal: Terminal): string {
  const { layout, total, used, counts, workers } = overview;
  if (isEmpty(overview)) return `${store} is empty: nothing is stored.\n`;
  const lines = [
    store,
    `layout        ${shown(layout) ?? 'unknown'}`,
    `history       ${shown(overview.historyId) ?? 'unknown'}`,
    `grants after  ${isoOf(overview.grantsAfterMs) ?? 'unknown'}`,
    `window        ${longest(overview.longestWindowMs)}, maxSkew ${longest(overview.longestMaxSkewMs)}`,
    `worker IDs    ${used} of ${total ?? 'unknown'} used: ${counts.held} held, ${counts.offline} offline, ` +
      `${counts.released} released`,
  ];
  if (workers.length > 0) lines.push('', ...tableOf(overview, terminal));
  return lines.map((line) => `${line}\n`).join('');
}

function tableOf({ workers, storeNowMs }: RegistryOverview, terminal: Terminal): string[] {
  const rows = [HEADINGS, ...workers.map((worker) => cellsOf(worker, storeNowMs))];
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row, index) => {
    const state = workers[index - 1]?.state;
    const cells = row.map((cell, column) => {
      const padded = cell.padEnd(widths[column] ?? 0);
      return state !== undefined && column === STATE_COLUMN ? terminal.style(STYLES[state], padded) : padded;
    });
    return cells.join('  ').trimEnd();
  });
}

function cellsOf({ workerId, state, holder, ...times }: WorkerOverview, nowMs: number): string[] {
  const { windowLeftMs, offlineSinceMs } = times;
  return [
    String(workerId),
    state,
    shown(holder) ?? '-',
    windowLeftMs === undefined ? '-' : durationText(windowLeftMs),
    offlineSinceMs === undefined
      ? '-'
      : `${isoOf(offlineSinceMs)} (${durationText(nowMs - offlineSinceMs)} ago)`,
  ];
}

/** Every process that can write the registry chooses texts in it. */
function shown(text: string | undefined): string | undefined {
  return text?.replaceAll(INVISIBLE, '\uFFFD');
}

function longest(durationMs: number | undefined): string {
  return durationMs === undefined ? 'unknown' : `${durationMs} ms`;
}

function isoOf(timeMs: number | undefined): string | undefined {
  return timeMs === undefined ? undefined : new Date(timeMs).toISOString();
}
