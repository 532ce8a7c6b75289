import { batch, computed, effect, signal } from '@preact/signals';
import { type Arrangement, arranged, AS_PASTED, type Column, COLUMNS } from '../../ids/arranged.js';
import { type DecodedText, decodedText } from '../../ids/decoded-text.js';
import { foundIdsIn } from '../../ids/found-ids.js';
import { betterFitting } from '../../ids/fitting-layouts.js';
import { Slices } from '../../ids/slices.js';
import type { Reading } from '../../ids/reading.js';
import { findMaker } from '../../live/makers-of-ids.js';
import type { MessageKey } from '../../messages/languages.js';
import { searchedTimes } from '../../messages/times.js';
import { textOfParameters, textParameters, textParametersIn } from '../../state/compressed.js';
import { layoutParameters } from '../../state/layout-parameters.js';
import { numberOf } from '../../state/parameters.js';
import { addressOf, type Parameters } from '../../state/route.js';
import { knownLayouts, layout, layoutForm } from '../../state/settings.js';

/** A browser needs longer to lay out a longer text in a text area than the page needs to decode it. */
const MOST_IN_AREA = 25_000;
/** Delay after the last key before a text of some length is read. */
const REST_MS = 120;
const READ_AT_ONCE = 2_000;

/** The text of the page: what is in the text area, and the long texts that were pasted, which count before it. */
export interface Texts {
  readonly typed: string;
  readonly pasted: readonly string[];
}

export const typed = signal('');
export const pasted = signal<readonly string[]>([]);
export const arrangement = signal<Arrangement>(AS_PASTED);
export const selected = signal<number | undefined>(undefined);
/** Whether the next paste is added to the text instead of replacing it. */
export const isAdding = signal(false);
/** The problem of the link that was opened, until the viewer changes something. */
export const linkProblem = signal<MessageKey | undefined>(undefined);

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

export function isLong(part: string): boolean {
  return part.length > MOST_IN_AREA;
}

/** Takes the text that the viewer typed. A long text is moved out of the text area. */
export function editText(whole: string): void {
  const long = isLong(whole);
  show({ typed: long ? '' : whole, pasted: long ? [...pasted.value, whole] : pasted.value });
}

/** Takes a long text that the viewer pasted. It replaces the text, unless it is to be added. The filter was for other IDs. */
export function takePasted(long: string): void {
  const before = isAdding.value ? { typed: typed.value, pasted: pasted.value } : { typed: '', pasted: [] };
  show({ ...before, pasted: [...before.pasted, long] });
  showAll();
}

export function removePasted(index: number): void {
  show({ typed: typed.value, pasted: pasted.value.toSpliced(index, 1) });
}

/** Replaces the text with IDs. */
export function showIds(ids: readonly string[]): void {
  show(textsOf(ids.join('\n')));
  arrangement.value = AS_PASTED;
}

export function clear(): void {
  show({ typed: '', pasted: [] });
  arrangement.value = AS_PASTED;
}

/** Resets the filters that hide IDs from the table. */
export function showAll(): void {
  const { column, isDescending } = arrangement.value;
  arrangement.value = { ...AS_PASTED, column, isDescending };
}

function show(texts: Texts): void {
  batch(() => {
    typed.value = texts.typed;
    pasted.value = texts.pasted;
    selected.value = undefined;
    linkProblem.value = undefined;
    isAdding.value = false;
  });
}

const NOTHING: DecodedText = { found: foundIdsIn(''), readings: [] };
export const decoded = signal<DecodedText>(NOTHING);

let latestRun = 0;
effect(() => {
  latestRun += 1;
  const run = latestRun;
  const slices = new Slices(() => run !== latestRun);
  void decodedText(text.value, layout.value, Date.now(), slices).then((result) => {
    if (result && run === latestRun) decoded.value = result;
  });
});

/** Returns the name of the process that generated an ID, if that is certain. */
export const holderOf = computed(() => {
  const find = findMaker.value;
  return ({ fields }: Reading): string | undefined => {
    const { origin, row } = (fields && find?.(fields)) ?? {};
    return origin === 'holder' ? row?.holder : undefined;
  };
});

export const shown = computed(() =>
  arranged(decoded.value.readings, arrangement.value, { timesOf: searchedTimes, holderOf: holderOf.value }),
);
export const better = computed(() =>
  betterFitting(decoded.value.found.ids, layout.value, Date.now(), knownLayouts.value),
);

/** The text of the opened link, and the parameters that contain it. */
const linked = signal<{ readonly of: string; readonly parameters: Parameters } | undefined>(undefined);

const entered = computed(() => wholeOf(pasted.value, typed.value));

/** Returns the parameters of the opened link, until the text is changed. */
function linkParameters(): Parameters | undefined {
  return linked.value?.of === entered.value ? linked.value.parameters : undefined;
}

/**
 * Returns the parameters of the page in the address. Browsers sync addresses with other devices and people share them, so the
 * address contains no text unless a link brought it.
 */
export function decodeParameters(): Parameters {
  const parameters = linkParameters();
  return parameters ? { ...viewParameters(), ...parameters } : {};
}

/** Returns an address that holds the text, the layout, and what is shown of it, unless the text is too long. */
export async function decodeLink(): Promise<string | undefined> {
  // A browser that can't compress makes no links of long texts.
  const parameters = await textParameters(entered.value).catch(() => undefined);
  if (!parameters) return undefined;
  const all = { ...layoutParameters(layoutForm.value), ...viewParameters(), ...parameters };
  return new URL(addressOf('decode', all), location.href).href;
}

function viewParameters(): Parameters {
  const { column, isDescending, filter, onlyWarnings, fromMs, toMs } = arrangement.value;
  return {
    ...(column !== AS_PASTED.column && { sort: column }),
    ...(isDescending && { desc: '1' }),
    ...(filter !== '' && { filter }),
    ...(onlyWarnings && { warned: '1' }),
    ...(fromMs !== undefined && toMs !== undefined && { from: String(fromMs), to: String(toMs) }),
    ...(selected.value !== undefined && { id: String(selected.value) }),
  };
}

/** What the page shows, and the parameters of the link that holds the text, if one does. */
export interface DecodeMemory extends Texts {
  readonly view: Parameters;
  readonly link?: Parameters;
}

export function rememberDecode(): DecodeMemory {
  return { typed: typed.value, pasted: pasted.value, view: viewParameters(), link: linkParameters() };
}

let latestOpening = 0;

/** Shows what the address holds, or what the page remembers for it. Without either, the text stays. */
export async function openDecode(parameters: URLSearchParams, memory?: DecodeMemory): Promise<void> {
  latestOpening += 1;
  const opening = latestOpening;
  if (memory) return showOpened(memory, new URLSearchParams(memory.view), memory.link);
  const link = textParametersIn(parameters);
  if (!link) return;
  const read = await textOfParameters(link).catch(() => undefined);
  if (opening !== latestOpening) return;
  showOpened(textsOf(read ?? ''), parameters, read === undefined ? undefined : link);
  if (read === undefined) linkProblem.value = 'link.damaged';
}

function showOpened(texts: Texts, view: URLSearchParams, link: Parameters | undefined): void {
  batch(() => {
    show(texts);
    // Reads the text without a delay, because the viewer isn't typing.
    rested.value = texts.typed;
    arrangement.value = arrangementFrom(view);
    selected.value = numberOf(view.get('id'));
    linked.value = link && { of: wholeOf(texts.pasted, texts.typed), parameters: link };
  });
}

function textsOf(whole: string): Texts {
  return isLong(whole) ? { typed: '', pasted: [whole] } : { typed: whole, pasted: [] };
}

function arrangementFrom(parameters: URLSearchParams): Arrangement {
  const column: Column = COLUMNS.find((name) => name === parameters.get('sort')) ?? AS_PASTED.column;
  return {
    column,
    isDescending: parameters.has('desc'),
    filter: parameters.get('filter') ?? '',
    onlyWarnings: parameters.has('warned'),
    fromMs: numberOf(parameters.get('from')),
    toMs: numberOf(parameters.get('to')),
  };
}
