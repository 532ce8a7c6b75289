import { batch, computed, effect, signal } from '@preact/signals';
import type { WatchEvent } from '../../../src/api/console-api.js';
import { observed, type Observations } from '../workers/observations.js';
import { type Connection, WatchStream } from './watch-stream.js';

/** The last event, and when it came by the clock of the browser. */
export const lastWatch = signal<{ readonly event: WatchEvent; readonly atMs: number } | undefined>(undefined);
export const connection = signal<Connection>('connecting');
/** When the first event came, by the clock of the browser. */
export const watchedSinceMs = signal<number | undefined>(undefined);
/** The clock of the browser, each second. */
export const nowMs = signal(Date.now());

const observations = signal<ReadonlyMap<string, Observations>>(new Map());
const chosenMaker = signal<string | undefined>(undefined);

export const makerNames = computed(() => lastWatch.value?.event.makers.map(({ name }) => name) ?? []);

/** The maker that is shown: the chosen one, or else the first. */
export const shownMaker = computed(() =>
  makerNames.value.includes(chosenMaker.value ?? '') ? chosenMaker.value : makerNames.value[0],
);

/** The observations of the maker that is shown. */
export const shown = computed(() => observations.value.get(shownMaker.value ?? ''));

/** Returns what was read last of a maker. */
export function seenOf(maker: string): Observations | undefined {
  return observations.value.get(maker);
}

export function showMaker(name: string): void {
  chosenMaker.value = name;
}

const stream = new WatchStream('api/events', {
  connectionChanged: (changed) => {
    connection.value = changed;
  },
  watched: (event) => {
    batch(() => {
      const atMs = Date.now();
      const before = observations.value;
      lastWatch.value = { event, atMs };
      watchedSinceMs.value ??= atMs;
      nowMs.value = atMs;
      observations.value = new Map(
        event.makers.map((maker) => [maker.name, observed(before.get(maker.name), maker)]),
      );
    });
  },
});

const TICK_MS = 1000;

/** Follows the app. Returns a function that ends it. */
export function watch(): () => void {
  stream.start();
  const endTicks = effect(() => {
    if (connection.value === 'paused') return undefined;
    const timer = setInterval(() => (nowMs.value = Date.now()), TICK_MS);
    return () => clearInterval(timer);
  });
  return () => {
    endTicks();
    stream.stop();
  };
}

/** IDs of the last seconds may be newer than what the page has read. */
const FRESH_MS = 10_000;

/** Reads the app once, unless it was read a moment ago. Returns a function that ends it. */
export function glance(): () => void {
  const { atMs = 0 } = lastWatch.peek() ?? {};
  if (Date.now() - atMs < FRESH_MS) return () => undefined;
  stream.start();
  const stop = (): void => stream.stop();
  const endAfterFirst = effect(() => {
    if ((lastWatch.value?.atMs ?? 0) > atMs) stop();
  });
  return () => {
    endAfterFirst();
    stop();
  };
}

/** The estimated clock of the store between two events. */
export const storeNowMs = computed(() => {
  const [seen, watched] = [shown.value, lastWatch.value];
  if (!seen?.registry || !watched || seen.registryAtMs === undefined) return undefined;
  const hostNowMs = seen.watch.hostNowMs + (nowMs.value - watched.atMs);
  return seen.registry.storeNowMs + (hostNowMs - seen.registryAtMs);
});
