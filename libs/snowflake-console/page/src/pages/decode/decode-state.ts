import { batch, computed, effect, signal } from '@preact/signals';
import { type Arrangement, arranged, AS_PASTED, type Column, COLUMNS } from '../../ids/arranged.js';
import { type DecodedText, decodedText } from '../../ids/decoded-text.js';
import { betterFitting } from '../../ids/fitting-layouts.js';
import { Slices } from '../../ids/slices.js';
import { compressed, expanded } from '../../state/compressed.js';
import { layoutParameters } from '../../state/layout-parameters.js';
import { addressOf, type Route } from '../../state/route.js';
import { knownLayouts, layout, layoutForm } from '../../state/settings.js';

/** A longer text takes the browser's own text area longer to lay out than the page takes to decode it. */
const MOST_IN_AREA = 25_000;
/** A text of some length is read once the keys rest. */
const REST_MS = 120;
const READ_AT_ONCE = 2_000;
const MOST_LINK_BYTES = 4_000_000;

/** What is in the text area. */
export const typed = signal('');
/** Long texts that were pasted. They count before what is typed. */
export const pasted = signal<readonly string[]>([]);
export const arrangement = signal<Arrangement>(AS_PASTED);
export const selected = signal<number | undefined>(undefined);

/** Puts a text where it fits: into the area, or beside it. */
export function takeText(text: string): void {
  batch(() => {
    if (text.length > MOST_IN_AREA) pasted.value = [...pasted.value, text];
    typed.value = text.length > MOST_IN_AREA ? '' : text;
  });
}

export function removePasted(index: number): void {
  pasted.value = pasted.value.toSpliced(index, 1);
}

export function isLong(text: string): boolean {
  return text.length > MOST_IN_AREA;
}

export function clear(): void {
  batch(() => {
    typed.value = '';
    pasted.value = [];
    arrangement.value = AS_PASTED;
  });
}

const rested = signal('');
effect(() => {
  const latest = typed.value;
  const timer = setTimeout(() => (rested.value = latest), latest.length < READ_AT_ONCE ? 0 : REST_MS);
  return () => clearTimeout(timer);
});

export const text = computed(() => wholeOf(pasted.value, rested.value));

function wholeOf(long: readonly string[], short: string): string {
  return [...long, short].filter((part) => part !== '').join('\n');
}

const NOTHING: DecodedText = { found: { ids: [], lines: 0, isCut: false }, readings: [] };
export const decoded = signal<DecodedText>(NOTHING);

/** The selection of a link, until its text is shown. */
let linkedSelection: number | undefined;
text.subscribe(() => {
  selected.value = linkedSelection;
  linkedSelection = undefined;
});

let latestRun = 0;
effect(() => {
  latestRun += 1;
  const run = latestRun;
  const slices = new Slices(() => run !== latestRun);
  void decodedText(text.value, layout.value, Date.now(), slices).then((result) => {
    if (result && run === latestRun) decoded.value = result;
  });
});

export const shown = computed(() => arranged(decoded.value.readings, arrangement.value));
export const current = computed(() => decoded.value.readings[(selected.value ?? 1) - 1]);
export const better = computed(() =>
  betterFitting(decoded.value.found.ids, layout.value, Date.now(), knownLayouts.value),
);

/** Shows what the address holds. A link that can't be read shows nothing. */
export async function openDecodeLink({ parameters }: Route): Promise<void> {
  const packed = parameters.get('z');
  const plain = parameters.get('text');
  const linked = packed === null ? plain : await expanded(packed, MOST_LINK_BYTES).catch(() => '');
  if (linked === null) return;
  batch(() => {
    clear();
    takeText(linked);
    arrangement.value = arrangementFrom(parameters);
    const position = Number(parameters.get('id') ?? Number.NaN);
    if (Number.isSafeInteger(position)) linkedSelection = position;
  });
}

/** Returns an address that holds the text, the layout, and what is shown of it. */
export async function decodeLink(): Promise<string> {
  const { column, isDescending, filter, onlyWarnings } = arrangement.value;
  const parameters = {
    ...layoutParameters(layoutForm.value),
    ...(column !== AS_PASTED.column && { sort: column }),
    ...(isDescending && { desc: '1' }),
    ...(filter !== '' && { filter }),
    ...(onlyWarnings && { warned: '1' }),
    ...(selected.value !== undefined && { id: String(selected.value) }),
    z: await compressed(wholeOf(pasted.value, typed.value)),
  };
  return new URL(addressOf('decode', parameters), location.href).href;
}

function arrangementFrom(parameters: URLSearchParams): Arrangement {
  const column: Column = COLUMNS.find((name) => name === parameters.get('sort')) ?? AS_PASTED.column;
  return {
    column,
    isDescending: parameters.has('desc'),
    filter: parameters.get('filter') ?? '',
    onlyWarnings: parameters.has('warned'),
  };
}
