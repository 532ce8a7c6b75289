import { computed, signal } from '@preact/signals';
import {
  BitLayout,
  type BitLayoutOptions,
  DEFAULT_EPOCH,
  layoutPresets,
  type LayoutPresetName,
} from 'nestjs-snowflake/core';

/** `default` is the library's own layout, `custom` the one that the fields of the form describe. */
export type LayoutChoice = 'default' | 'custom' | LayoutPresetName;

/** A layout as a form holds it. */
export interface LayoutForm {
  readonly choice: LayoutChoice;
  readonly options: BitLayoutOptions;
  readonly epoch: string;
}

export const PRESET_NAMES = Object.keys(layoutPresets) as LayoutPresetName[];

const DEFAULT_OPTIONS: BitLayoutOptions = {
  timestampBits: 41,
  datacenterBits: 0,
  workerBits: 10,
  sequenceBits: 12,
  tickMs: 1,
};

export const DEFAULT_FORM: LayoutForm = {
  choice: 'default',
  options: DEFAULT_OPTIONS,
  epoch: DEFAULT_EPOCH,
};

/** Returns the form that shows a choice. `custom` keeps what the form holds. */
export function formOf(choice: LayoutChoice, present: LayoutForm): LayoutForm {
  if (choice === 'custom') return { ...present, choice };
  if (choice === 'default') return DEFAULT_FORM;
  const { layout, epoch } = layoutPresets[choice];
  return {
    choice,
    options: { datacenterBits: 0, tickMs: 1, ...layout },
    epoch: new Date(epoch).toISOString(),
  };
}

/** The layout that all pages read and write IDs with. */
export const layoutForm = signal<LayoutForm>(DEFAULT_FORM);

let lastValid = new BitLayout(DEFAULT_OPTIONS, DEFAULT_EPOCH);

/** The layout of the form, or why it isn't one. Then the last valid layout goes on being used. */
export const checkedLayout = computed<{ layout: BitLayout; problem?: string }>(() => {
  const { options, epoch } = layoutForm.value;
  try {
    lastValid = new BitLayout(options, epoch);
    return { layout: lastValid };
  } catch (error) {
    return { layout: lastValid, problem: error instanceof Error ? error.message : String(error) };
  }
});

export const layout = computed(() => checkedLayout.value.layout);
