import type { LowerFieldName } from 'nestjs-snowflake/core';
import { DEFAULT_FORM, formOf, type LayoutChoice, type LayoutForm, PRESET_NAMES } from './settings.js';

const CHOICES: readonly LayoutChoice[] = ['default', 'custom', ...PRESET_NAMES];
const FIELDS: readonly LowerFieldName[] = ['datacenter', 'worker', 'sequence'];

/** Returns the parameters of an address that stand for a layout. The default layout needs none. */
export function layoutParameters({ choice, options, epoch }: LayoutForm): Record<string, string> {
  if (choice === 'default') return {};
  if (choice !== 'custom') return { layout: choice };
  const widths = [
    options.timestampBits,
    options.datacenterBits ?? 0,
    options.workerBits,
    options.sequenceBits,
    options.tickMs ?? 1,
  ].join('.');
  return { layout: 'custom', widths, epoch, ...(options.order ? { order: options.order.join('.') } : {}) };
}

/** The reverse of {@link layoutParameters}. What can't be read is left as the default has it. */
export function layoutFormFrom(parameters: URLSearchParams): LayoutForm {
  const choice = CHOICES.find((name) => name === parameters.get('layout')) ?? 'default';
  if (choice !== 'custom') return formOf(choice, DEFAULT_FORM);
  const widths = (parameters.get('widths') ?? '').split('.').map((width) => Number.parseInt(width, 10));
  const [timestampBits, datacenterBits, workerBits, sequenceBits, tickMs] = widths.map((width) =>
    Number.isSafeInteger(width) ? width : undefined,
  );
  const order = (parameters.get('order') ?? '')
    .split('.')
    .flatMap((name) => FIELDS.filter((field) => field === name));
  return {
    choice,
    options: {
      timestampBits,
      datacenterBits,
      workerBits,
      sequenceBits,
      tickMs,
      ...(order.length > 0 ? { order } : {}),
    },
    epoch: parameters.get('epoch') ?? DEFAULT_FORM.epoch,
  };
}
