import { signal } from '@preact/signals';
import { CODE_LANGUAGES, type CodeLanguage } from '../layouts/decode-code.js';
import { numberParameter, takeChoice, takeNumber, takeText } from '../state/parameters.js';
import type { Parameters } from '../state/route.js';
import { DEFAULT_FORM } from '../state/settings.js';

export const TICKS_MS: readonly number[] = [1, 10, 100, 1000];

/** The demands on a layout. */
export const years = signal(30);
export const workers = signal(200);
export const idsPerSecond = signal(50_000);
export const tickMs = signal(1);
export const epoch = signal(DEFAULT_FORM.epoch);
/** The language of the code that decodes. */
export const codeLanguage = signal<CodeLanguage>('JavaScript');

/** The names differ from those of the layout that pages read IDs with, which is in the same address. */
export function demandParameters(): Parameters {
  return {
    years: numberParameter(years.value),
    workers: numberParameter(workers.value),
    rate: numberParameter(idsPerSecond.value),
    tick: numberParameter(tickMs.value),
    since: epoch.value,
    code: codeLanguage.value,
  };
}

export function openDemands(parameters: URLSearchParams): void {
  takeNumber(parameters, 'years', years);
  takeNumber(parameters, 'workers', workers);
  takeNumber(parameters, 'rate', idsPerSecond);
  tickMs.value = TICKS_MS.find((tick) => String(tick) === parameters.get('tick')) ?? tickMs.value;
  takeText(parameters, 'since', epoch);
  takeChoice(parameters, 'code', CODE_LANGUAGES, codeLanguage);
}
