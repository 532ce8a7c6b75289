import type { LowerFieldName } from 'nestjs-snowflake/core';
import { numberOf, numberParameter } from './parameters.js';
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
/** The parameters in the order of the address. */
const WIDTHS = ['timestampBits', 'datacenterBits', 'workerBits', 'sequenceBits', 'tickMs'] as const;
const { options: usual } = DEFAULT_FORM;
const FIELDS: readonly LowerFieldName[] = ['datacenter', 'worker', 'sequence'];

/**
 * Returns the parameters of an address that stand for a layout. The default layout needs none, unless the page shows
 * that of an app if nothing is named. The layout of an app is written out, so that its link works without the app.
 */
export function layoutParameters({ choice, options, epoch }: LayoutForm): Record<string, string> {
  if (choice === 'default') return appLayouts.value.length > 0 ? { layout: choice } : {};
  if (choice !== 'custom' && !choice.startsWith('app:')) return { layout: choice };
  const widths = WIDTHS.map((name) => numberParameter(options[name] ?? usual[name] ?? 0)).join('.');
  return { layout: 'custom', widths, epoch, ...(options.order ? { order: options.order.join('.') } : {}) };
}

/** The reverse of {@link layoutParameters}. Unreadable parameters keep their defaults. */
export function layoutFormFrom(parameters: URLSearchParams): LayoutForm {
  const named = parameters.get('layout');
  const unnamed = named === null ? (appLayouts.value[0]?.choice ?? 'default') : 'default';
  const choice = CHOICES.find((name) => name === named) ?? unnamed;
  return choice === 'custom' ? asAppForm(customForm(parameters)) : formOf(choice, DEFAULT_FORM);
}

/** Returns the layout that an address names, if this page doesn't know it. */
export function unknownLayoutIn(parameters: URLSearchParams): string | undefined {
  const named = parameters.get('layout') ?? undefined;
  return CHOICES.some((name) => name === named) ? undefined : named;
}

function customForm(parameters: URLSearchParams): LayoutForm {
  const texts = (parameters.get('widths') ?? '').split('.');
  const widths = WIDTHS.map(
    (name, index) => [name, numberOf(texts[index] ?? '') ?? usual[name] ?? 0] as const,
  );
  const order = (parameters.get('order') ?? '')
    .split('.')
    .flatMap((name) => FIELDS.filter((field) => field === name));
  return {
    choice: 'custom',
    options: { ...Object.fromEntries(widths), ...(order.length > 0 ? { order } : {}) },
    epoch: parameters.get('epoch') ?? DEFAULT_FORM.epoch,
  };
}
