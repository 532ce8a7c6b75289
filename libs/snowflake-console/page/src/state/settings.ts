import { computed, signal } from '@preact/signals';
import {
  BitLayout,
  type BitLayoutOptions,
  DEFAULT_EPOCH,
  layoutPresets,
  type LayoutPresetName,
} from 'nestjs-snowflake/core';
import { appFacts } from '../live/app-facts.js';
import { instantOf } from '../time/instant.js';

/** `default` is the library's own layout, `custom` the one that the fields of the form describe. */
export type LayoutChoice = 'default' | 'custom' | LayoutPresetName | AppChoice;

/** The layout of an ID maker of the app. */
export type AppChoice = `app:${string}`;

/** The fields of a layout in a form. */
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

/** The layouts of the app's ID makers. */
export const appLayouts = computed(() =>
  (appFacts.value?.makers ?? []).map(({ name, layout: { epochMs, ...options } }) => {
    const bits = new BitLayout(options, new Date(epochMs));
    return { name, choice: `app:${name}` satisfies AppChoice as AppChoice, layout: bits, options };
  }),
);

const PUBLISHED = PRESET_NAMES.map((name) => {
  const { layout: options, epoch } = layoutPresets[name];
  return { name: name as string, choice: name as LayoutChoice, layout: new BitLayout(options, epoch) };
});

/** Every layout with a name: those of the app, the library's own, and the published ones. */
export const knownLayouts = computed(() => [
  ...appLayouts.value.map(({ name, choice, layout: bits }) => ({
    name,
    choice: choice as LayoutChoice,
    layout: bits,
  })),
  { name: 'nestjs-snowflake', choice: 'default' as LayoutChoice, layout: new BitLayout() },
  ...PUBLISHED,
]);

/** Returns the form that shows a choice. `custom` keeps what the form holds. */
export function formOf(choice: LayoutChoice, present: LayoutForm): LayoutForm {
  if (choice === 'custom') return { ...present, choice };
  if (choice === 'default') return DEFAULT_FORM;
  const ofApp = appLayouts.value.find((each) => each.choice === choice);
  if (ofApp) return formOfLayout(choice, ofApp.layout, ofApp.options);
  const preset = layoutPresets[choice as LayoutPresetName];
  if (!preset) return DEFAULT_FORM;
  return {
    choice,
    options: { datacenterBits: 0, tickMs: 1, ...preset.layout },
    epoch: new Date(preset.epoch).toISOString(),
  };
}

/** Fills in all widths, because the options of an app may leave out the defaults. */
function formOfLayout(choice: LayoutChoice, bits: BitLayout, { order }: BitLayoutOptions): LayoutForm {
  return {
    choice,
    options: {
      timestampBits: bits.field('timestamp').bits,
      datacenterBits: bits.field('datacenter').bits,
      workerBits: bits.field('worker').bits,
      sequenceBits: bits.field('sequence').bits,
      tickMs: bits.tickMs,
      ...(order ? { order } : {}),
    },
    epoch: new Date(bits.epochMs).toISOString(),
  };
}

/** Returns the form of the app's layout that reads IDs like this one, or the form itself. */
export function asAppForm(form: LayoutForm): LayoutForm {
  const wanted = asText(form);
  const forms = appLayouts.value.map(({ choice }) => formOf(choice, form));
  return forms.find((each) => asText(each) === wanted) ?? form;
}

function asText({ options: { order, ...widths }, epoch }: LayoutForm): string {
  return JSON.stringify([Object.entries(widths).sort(), order, instantOf(epoch)]);
}

/** The layout that all pages read and write IDs with. */
export const layoutForm = signal<LayoutForm>(DEFAULT_FORM);

/** The name of the layout in a link that this page doesn't know. */
export const unknownLayout = signal<string | undefined>(undefined);

/** Shows another layout. */
export function chooseLayout(form: LayoutForm): void {
  layoutForm.value = form;
  unknownLayout.value = undefined;
}

let lastValid = new BitLayout(DEFAULT_OPTIONS, DEFAULT_EPOCH);

/** The layout of the form, or the last valid one while the form is invalid and pages show no results. */
export const checkedLayout = computed<{ layout: BitLayout; isValid: boolean }>(() => {
  const { options, epoch } = layoutForm.value;
  try {
    lastValid = new BitLayout(options, epoch);
    return { layout: lastValid, isValid: true };
  } catch {
    return { layout: lastValid, isValid: false };
  }
});

export const layout = computed(() => checkedLayout.value.layout);
