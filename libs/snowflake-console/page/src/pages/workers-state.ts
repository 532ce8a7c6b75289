import { signal } from '@preact/signals';
import { numberOf, numberParameter } from '../state/parameters.js';
import type { Parameters } from '../state/route.js';
import { CELLS_AT_ONCE } from '../workers/cells.js';

export const TABS = ['workers', 'segments', 'series'] as const;
export type TabName = (typeof TABS)[number];

/** A chosen worker ID, and where its details are shown. */
export interface Selection {
  readonly workerId: number;
  readonly place: 'table' | 'map';
}

export const chosenTab = signal<TabName>('workers');
export const selection = signal<Selection | undefined>(undefined);
/** Part of a holder's name, a worker ID, or the name of a state. */
export const search = signal('');
/** How many processes the viewer wants to start. */
export const podsToStart = signal(Number.NaN);
/** Set while the page shows a worker ID of a link, so that it scrolls to it once. */
export const isLinked = signal(false);

/** The worker ID with which the shown part of the map begins. */
export const mapFrom = signal(0);

/** Selects a worker ID in the map, and shows the part with it. @param first worker ID of the layout */
export function goTo(workerId: number, first: number): void {
  selection.value = { workerId, place: 'map' };
  mapFrom.value = first + Math.floor((workerId - first) / CELLS_AT_ONCE) * CELLS_AT_ONCE;
}

export function workersParameters(): Parameters {
  return {
    ...(chosenTab.value !== 'workers' && { tab: chosenTab.value }),
    ...(selection.value && { worker: String(selection.value.workerId) }),
    ...(search.value !== '' && { q: search.value }),
    ...(!Number.isNaN(podsToStart.value) && { start: numberParameter(podsToStart.value) }),
  };
}

export function openWorkers(parameters: URLSearchParams): void {
  const workerId = numberOf(parameters.get('worker'));
  chosenTab.value = TABS.find((name) => name === parameters.get('tab')) ?? 'workers';
  isLinked.value = workerId !== undefined && workerId !== selection.value?.workerId;
  if (workerId !== selection.value?.workerId)
    selection.value = workerId === undefined ? undefined : { workerId, place: 'table' };
  search.value = parameters.get('q') ?? '';
  podsToStart.value = numberOf(parameters.get('start')) ?? Number.NaN;
}
