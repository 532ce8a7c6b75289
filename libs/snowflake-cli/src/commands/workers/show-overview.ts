import type { Style, Terminal } from '../../frame/terminal.js';
import { durationText } from './duration-text.js';
import { visible } from 'nestjs-snowflake/core';
import type { RegistryOverview, WorkerOverview, WorkerState } from 'nestjs-snowflake/store';

const STYLES: Readonly<Record<WorkerState, Style>> = {
  held: 'green',
  offline: 'yellow',
  released: 'dim',
  reserved: 'dim',
};
const HEADINGS = ['WORKER ID', 'STATE', 'HOLDER', 'WINDOW LEFT', 'OFFLINE SINCE'];
/** A further column, if the clock of a process is wrong. */
const CLOCK = 'CLOCK';
const STATE_COLUMN = 1;
/** Fits most names of a pod and its process, and keeps a line within a terminal. */
const MAX_HOLDER_LENGTH = 60;
const MAX_TEXT_LENGTH = 200;
const KEPT_END_LENGTH = 20;

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
    waiting: overview.waiting,
    longestWaitMs: overview.longestWaitMs,
    unreadable: overview.unreadable?.map(({ field }) => field),
    workers: workers.map(
      ({ fencingToken: _, offlineSinceMs, claimedUntilMs, reservedUntilMs, ...worker }) => ({
        ...worker,
        claimedUntil: isoOf(claimedUntilMs),
        offlineSince: isoOf(offlineSinceMs),
        reservedUntil: isoOf(reservedUntilMs),
      }),
    ),
  };
}

/** Returns whether nothing is stored, as in a misspelled namespace. */
export function isEmpty({ layout, workers, unreadable }: RegistryOverview): boolean {
  return layout === undefined && workers.length === 0 && !unreadable;
}

/** Returns the overview as a header and a table. */
export function overviewText(store: string, overview: RegistryOverview, terminal: Terminal): string {
  const { layout, total, used, counts, workers, unreadable } = overview;
  if (isEmpty(overview)) return `${store} is empty: nothing is stored.\n`;
  const lines = [
    store,
    `layout        ${shown(layout) ?? 'unknown'}`,
    `history       ${shown(overview.historyId) ?? 'unknown'}`,
    `grants after  ${isoOf(overview.grantsAfterMs) ?? 'unknown'}`,
    `window        ${longest(overview.longestWindowMs)}, maxSkew ${longest(overview.longestMaxSkewMs)}`,
    `worker IDs    ${used} of ${total ?? 'unknown'} used: ${counts.held} held, ${counts.offline} offline, ` +
      `${counts.released} released${counts.reserved > 0 ? `, ${counts.reserved} reserved for imports` : ''}`,
  ];
  if (overview.waiting) lines.push(`waiting       ${waitText(overview.waiting, overview.longestWaitMs)}`);
  if (unreadable) lines.push(`unreadable    ${unreadable.map(({ field }) => field).join(', ')}`);
  if (workers.length > 0) lines.push('', ...tableOf(overview, terminal));
  return lines.map((line) => `${line}\n`).join('');
}

/** Says how many processes wait for a worker ID, if any. */
function waitText(count: number, longestMs: number | undefined): string {
  const waiting = count === 1 ? '1 process waits for a worker ID' : `${count} processes wait for a worker ID`;
  return longestMs === undefined ? waiting : `${waiting}, the first for ${durationText(longestMs)}`;
}

function tableOf({ workers, storeNowMs }: RegistryOverview, terminal: Terminal): string[] {
  const headings = workers.some(({ clockCorrectionMs }) => clockCorrectionMs)
    ? [...HEADINGS, CLOCK]
    : HEADINGS;
  const rows = [headings, ...workers.map((worker) => cellsOf(worker, storeNowMs))];
  const widths = headings.map((_, column) => Math.max(...rows.map((row) => lengthOf(row[column] ?? ''))));
  return rows.map((row, index) => {
    const state = workers[index - 1]?.state;
    const cells = row.map((cell, column) => {
      const padded = cell + ' '.repeat((widths[column] ?? 0) - lengthOf(cell));
      return state !== undefined && column === STATE_COLUMN ? terminal.style(STYLES[state], padded) : padded;
    });
    return cells.join('  ').trimEnd();
  });
}

/** Counts code points, so that an emoji is one character. */
function lengthOf(text: string): number {
  return [...text].length;
}

function cellsOf({ workerId, state, holder, ...times }: WorkerOverview, nowMs: number): string[] {
  const { windowLeftMs, offlineSinceMs, claimedUntilMs, clockCorrectionMs } = times;
  const imports = claimedUntilMs === undefined ? undefined : `imports up to ${isoOf(claimedUntilMs)}`;
  return [
    String(workerId),
    state,
    shown(holder, MAX_HOLDER_LENGTH) ?? imports ?? '-',
    windowLeftMs === undefined ? '-' : durationText(windowLeftMs),
    offlineSinceMs === undefined
      ? '-'
      : `${isoOf(offlineSinceMs)} (${durationText(nowMs - offlineSinceMs)} ago)`,
    ...(clockCorrectionMs ? [clockText(clockCorrectionMs)] : []),
  ];
}

/** Compares the clock of a process with that of the store. */
function clockText(correctionMs: number): string {
  return `${durationText(Math.abs(correctionMs))} ${correctionMs > 0 ? 'behind' : 'ahead'}`;
}

/**
 * Makes a text of the registry safe to print, since any process with write access chose it. Shortens it in the middle, because
 * the pod and the process are at the end.
 */
function shown(text: string | undefined, limit = MAX_TEXT_LENGTH): string | undefined {
  if (text === undefined) return undefined;
  const characters = [...visible(text)];
  if (characters.length <= limit) return characters.join('');
  return [
    ...characters.slice(0, limit - KEPT_END_LENGTH - 1),
    '…',
    ...characters.slice(-KEPT_END_LENGTH),
  ].join('');
}

function longest(durationMs: number | undefined): string {
  return durationMs === undefined ? 'unknown' : `${durationMs} ms`;
}

function isoOf(timeMs: number | undefined): string | undefined {
  return timeMs === undefined ? undefined : new Date(timeMs).toISOString();
}
