import { batch, computed, effect, signal } from '@preact/signals';
import { type Arrangement, arranged, AS_PASTED, type Column, COLUMNS } from '../../ids/arranged.js';
import { type DecodedText, decodedText } from '../../ids/decoded-text.js';
import { betterFitting } from '../../ids/fitting-layouts.js';
import { Slices } from '../../ids/slices.js';
import type { MessageKey } from '../../messages/languages.js';
import { isPartialEntry, type Shown } from '../../state/address.js';
import { textOfParameters, textParameters } from '../../state/compressed.js';
import { layoutParameters } from '../../state/layout-parameters.js';
import { numberOf } from '../../state/parameters.js';
import { addressOf, type Parameters, type Route } from '../../state/route.js';
import { knownLayouts, layout, layoutForm } from '../../state/settings.js';

/** A longer text takes the browser's own text area longer to lay out than the page takes to decode it. */
const MOST_IN_AREA = 25_000;
/** A text of some length is read once the keys rest. */
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
/** What is wrong with the link that was opened, until the viewer changes something. */
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

/** Takes what the viewer typed. A text that is long goes beside the text area. */
export function editText(whole: string): void {
  const long = isLong(whole);
  show({ typed: long ? '' : whole, pasted: long ? [...pasted.value, whole] : pasted.value });
}

/** Takes a long text that the viewer pasted. The filter was for other IDs. */
export function addPasted(long: string): void {
  show({ typed: typed.value, pasted: [...pasted.value, long] });
  showAll();
}

export function removePasted(index: number): void {
  show({ typed: typed.value, pasted: pasted.value.toSpliced(index, 1) });
}

/** Shows IDs instead of what is there. */
export function showIds(ids: readonly string[]): void {
  show(textsOf(ids.join('\n')));
  arrangement.value = AS_PASTED;
}

export function clear(): void {
  show({ typed: '', pasted: [] });
  arrangement.value = AS_PASTED;
}

/** Ends what hides IDs from the table. */
export function showAll(): void {
  arrangement.value = { ...arrangement.value, filter: '', onlyWarnings: false };
}

function show(texts: Texts): void {
  batch(() => {
    typed.value = texts.typed;
    pasted.value = texts.pasted;
    selected.value = undefined;
    linkProblem.value = undefined;
  });
}

const NOTHING: DecodedText = { found: { ids: [], lines: 0, isCut: false }, readings: [] };
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

export const shown = computed(() => arranged(decoded.value.readings, arrangement.value));
/** The ID whose details are shown: the chosen one, or else the first that the filter lets through. */
export const current = computed(() => {
  const { readings } = decoded.value;
  const chosen = readings[(selected.value ?? 0) - 1];
  if (chosen) return chosen;
  const [first] = readings;
  return first && shown.value.includes(first) ? first : (shown.value[0] ?? first);
});
export const better = computed(() =>
  betterFitting(decoded.value.found.ids, layout.value, Date.now(), knownLayouts.value),
);

/** A longer text is compressed for the address once the page has decoded it. */
const PACK_REST_MS = 150;
const packed = signal<{ readonly of: string; readonly parameters?: Parameters }>({ of: '', parameters: {} });
effect(() => {
  const latest = text.value;
  const timer = setTimeout(
    () => {
      void linkText(latest).then((parameters) => {
        if (latest === text.peek()) packed.value = { of: latest, parameters };
      });
    },
    latest.length < READ_AT_ONCE ? 0 : PACK_REST_MS,
  );
  return () => clearTimeout(timer);
});

/** A browser that can't compress makes no links of long texts. */
function linkText(whole: string): Promise<Parameters | undefined> {
  return textParameters(whole).catch(() => undefined);
}

/** Whether the text of the page is too long for an address. */
export const isTooLongForLink = computed(
  () => packed.value.of === text.value && packed.value.parameters === undefined,
);

/** Returns what the page shows, as the address holds it. Undefined while the text is being compressed. */
export function decodeShown(): Shown | undefined {
  const { of, parameters } = packed.value;
  const view = viewParameters();
  if (of !== text.value) return undefined;
  return { parameters: { ...view, ...parameters }, isPartial: parameters === undefined };
}

/** Returns an address that holds the text, the layout, and what is shown of it, unless the text is too long. */
export async function decodeLink(): Promise<string | undefined> {
  const parameters = await linkText(wholeOf(pasted.value, typed.value));
  if (!parameters) return undefined;
  const whole = { ...layoutParameters(layoutForm.value), ...viewParameters(), ...parameters };
  return new URL(addressOf('decode', whole), location.href).href;
}

function viewParameters(): Parameters {
  const { column, isDescending, filter, onlyWarnings } = arrangement.value;
  return {
    ...(column !== AS_PASTED.column && { sort: column }),
    ...(isDescending && { desc: '1' }),
    ...(filter !== '' && { filter }),
    ...(onlyWarnings && { warned: '1' }),
    ...(selected.value !== undefined && { id: String(selected.value) }),
  };
}

let latestOpening = 0;

/** Shows what the address holds, or the texts that the page remembers for it. Without either, the text stays. */
export async function openDecodeLink({ parameters }: Route, remembered?: Texts): Promise<void> {
  latestOpening += 1;
  const opening = latestOpening;
  const linked = remembered ? null : await textOfParameters(parameters).catch(() => undefined);
  if (opening !== latestOpening) return;
  if (linked === null && !remembered) {
    if (isPartialEntry() && text.peek() === '') linkProblem.value = 'decode.tooLong';
    return;
  }
  batch(() => {
    show(remembered ?? textsOf(linked ?? ''));
    // At once, as nobody is typing.
    rested.value = typed.value;
    arrangement.value = arrangementFrom(parameters);
    selected.value = numberOf(parameters.get('id'));
    if (linked === undefined) linkProblem.value = 'link.damaged';
  });
}

function textsOf(whole: string): Texts {
  return isLong(whole) ? { typed: '', pasted: [whole] } : { typed: whole, pasted: [] };
}

export function rememberTexts(): Texts {
  return { typed: typed.peek(), pasted: pasted.peek() };
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
