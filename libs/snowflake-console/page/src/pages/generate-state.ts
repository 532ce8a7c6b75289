import { signal } from '@preact/signals';
import { CODEC_NAMES, type CodecName } from '../ids/texts-of-id.js';
import { numberParameter, takeChoice, takeNumber } from '../state/parameters.js';
import type { Parameters } from '../state/route.js';
import { type Moment, momentOf } from '../time/local-input.js';
import { instantParameter, takeMoment } from './time-state.js';

/** The fields from which the page generates IDs without an app. */
export const time = signal<Moment>(momentOf(Date.now()));
export const datacenterId = signal(0);
export const workerId = signal(0);
export const sequence = signal(0);
export const count = signal(10);
export const format = signal<CodecName>('decimal');

/** The request for IDs of the app. */
export const chosenMaker = signal<string | undefined>(undefined);
export const appCount = signal(10);
export const appFormat = signal<CodecName>('decimal');

export function generateParameters(): Parameters {
  return {
    time: instantParameter(time.value),
    datacenter: numberParameter(datacenterId.value),
    worker: numberParameter(workerId.value),
    sequence: numberParameter(sequence.value),
    count: numberParameter(count.value),
    format: format.value,
    ...(chosenMaker.value !== undefined && { maker: chosenMaker.value }),
    appCount: numberParameter(appCount.value),
    appFormat: appFormat.value,
  };
}

export function openGenerate(parameters: URLSearchParams): void {
  takeMoment(parameters, 'time', time);
  takeNumber(parameters, 'datacenter', datacenterId);
  takeNumber(parameters, 'worker', workerId);
  takeNumber(parameters, 'sequence', sequence);
  takeNumber(parameters, 'count', count);
  takeChoice(parameters, 'format', CODEC_NAMES, format);
  chosenMaker.value = parameters.get('maker') ?? chosenMaker.value;
  takeNumber(parameters, 'appCount', appCount);
  takeChoice(parameters, 'appFormat', CODEC_NAMES, appFormat);
}
