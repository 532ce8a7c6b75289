import { appLayoutName } from '../live/app-facts.js';
import type { MessageKey } from '../messages/languages.js';
import { t } from '../messages/messages.js';
import { bitsOfFields, ID_BITS, isEpoch, type Width, WIDTH_BOUNDS } from '../layouts/layout-bounds.js';
import {
  appLayouts,
  checkedLayout,
  chooseLayout,
  formOf,
  type LayoutChoice,
  type LayoutForm,
  layoutForm,
  PRESET_NAMES,
  unknownLayout,
} from '../state/settings.js';
import { Field } from './field.js';
import { isWithin, NumberField } from './number-input.js';
import { WidthBar } from './width-bar.js';

const WIDTHS: readonly (readonly [Width, MessageKey])[] = [
  ['timestampBits', 'layout.timestampBits'],
  ['datacenterBits', 'layout.datacenterBits'],
  ['workerBits', 'layout.workerBits'],
  ['sequenceBits', 'layout.sequenceBits'],
  ['tickMs', 'layout.tickMs'],
];

/** Chooses the layout in one line, for a page that shows its widths elsewhere. */
export function LayoutChip() {
  return (
    <span class="layout-picker layout-chip">
      <LayoutSelect />
    </span>
  );
}

/** The widths of the layout, folded unless they are the viewer's own. */
export function LayoutDetails() {
  const form = layoutForm.value;
  const { layout, isValid } = checkedLayout.value;
  return (
    <details class="panel layout-picker" open={form.choice === 'custom'}>
      <summary>{t('layout.adjust')}</summary>
      {isValid && <WidthBar widths={layout.fields} />}
      <Fields />
      <FormProblem form={form} isValid={isValid} />
    </details>
  );
}

/** Chooses the layout that the page reads IDs with, as a part of a panel. */
export function LayoutFields() {
  const form = layoutForm.value;
  const { layout, isValid } = checkedLayout.value;
  return (
    <>
      <div class="bar">
        <LayoutSelect />
        {isValid && (
          <div class="grow">
            <WidthBar widths={layout.fields} />
          </div>
        )}
      </div>
      <UnknownLayout />
      <details open={form.choice === 'custom'}>
        <summary>{t('layout.adjust')}</summary>
        <Fields />
      </details>
      <FormProblem form={form} isValid={isValid} />
    </>
  );
}

function LayoutSelect() {
  const form = layoutForm.value;
  const choose = (choice: LayoutChoice): void => chooseLayout(formOf(choice, form));
  return (
    <label>
      {t('layout.choice')}{' '}
      <select value={form.choice} onChange={(event) => choose(event.currentTarget.value as LayoutChoice)}>
        {appLayouts.value.map(({ name, choice }) => (
          <option key={choice} value={choice}>
            {appLayoutName(name)}
          </option>
        ))}
        <option value="default">{t('layout.default')}</option>
        {PRESET_NAMES.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
        <option value="custom">{t('layout.custom')}</option>
      </select>
    </label>
  );
}

/** Names the layout of a link that this page doesn't know. */
export function UnknownLayout() {
  if (unknownLayout.value === undefined) return null;
  return (
    <p class="problem" role="status">
      {t('link.layout', { name: unknownLayout.value })}
    </p>
  );
}

function FormProblem({ form, isValid }: { form: LayoutForm; isValid: boolean }) {
  const problem = isValid ? undefined : problemOfForm(form);
  return problem === undefined ? null : (
    <p class="problem" role="alert">
      {problem}
    </p>
  );
}

/** Explains in the place of the results why there are none. */
export function LayoutNeeded() {
  return <p class="problem is-alone">{t('layout.needed')}</p>;
}

/** The problem of the fields together. Each field itself shows its own problem. */
function problemOfForm({ options, epoch }: LayoutForm): string | undefined {
  const isEachRight =
    WIDTHS.every(([width]) => isWithin(options[width] ?? 0, WIDTH_BOUNDS[width])) && isEpoch(epoch);
  if (!isEachRight) return undefined;
  const bits = bitsOfFields(options);
  return bits > ID_BITS ? t('layout.tooWide', { count: bits }) : undefined;
}

function Fields() {
  const form = layoutForm.value;
  return (
    <div class="form">
      {WIDTHS.map(([width, label]) => (
        <WidthInput key={width} width={width} label={label} />
      ))}
      <Field
        label={t('layout.epoch')}
        problem={isEpoch(form.epoch) ? undefined : t('layout.badEpoch')}
        input={(attributes) => (
          <input
            {...attributes}
            value={form.epoch}
            spellcheck={false}
            onInput={(event) =>
              chooseLayout({ ...form, choice: 'custom', epoch: event.currentTarget.value.trim() })
            }
          />
        )}
      />
    </div>
  );
}

function WidthInput({ width, label }: { width: Width; label: MessageKey }) {
  const form = layoutForm.value;
  const value = form.options[width] ?? 0;
  const change = (number: number): void =>
    chooseLayout({ ...form, choice: 'custom', options: { ...form.options, [width]: number } });
  return <NumberField label={t(label)} value={value} {...WIDTH_BOUNDS[width]} change={change} />;
}
