import type { LowerFieldName } from 'nestjs-snowflake/core';
import {
  appLayouts,
  asAppForm,
  DEFAULT_FORM,
  formOf,
  type LayoutChoice,
  type LayoutForm,
  PRESET_NAMES,
} from './settings.js';

const CHOICES: readonly LayoutChoice[] = ['default', 'custom', ...PRESET_NAMES];
const FIELDS: readonly LowerFieldName[] = ['datacenter', 'worker', 'sequence'];

/**
 * Returns the parameters of an address that stand for a layout. The default layout needs none, unless the page shows
 * that of an app if nothing is named. The layout of an app is written out, so that its link works without the app.
 */
export function layoutParameters({ choice, options, epoch }: LayoutForm): Record<string, string> {
  if (choice === 'default') return appLayouts.value.length > 0 ? { layout: choice } : {};
  if (choice !== 'custom' && !choice.startsWith('app:')) return { layout: choice };
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
  const named = parameters.get('layout');
  const usual = named === null ? (appLayouts.value[0]?.choice ?? 'default') : 'default';
  const choice = CHOICES.find((name) => name === named) ?? usual;
  return choice === 'custom' ? asAppForm(customForm(parameters)) : formOf(choice, DEFAULT_FORM);
}

function customForm(parameters: URLSearchParams): LayoutForm {
  const widths = (parameters.get('widths') ?? '').split('.').map((width) => Number.parseInt(width, 10));
  const [timestampBits, datacenterBits, workerBits, sequenceBits, tickMs] = widths.map((width) =>
    Number.isSafeInteger(width) ? width : undefined,
  );
  const order = (parameters.get('order') ?? '')
    .split('.')
    .flatMap((name) => FIELDS.filter((field) => field === name));
  return {
    choice: 'custom',
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
