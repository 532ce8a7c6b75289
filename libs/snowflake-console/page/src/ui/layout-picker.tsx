import type { BitLayoutOptions } from 'nestjs-snowflake/core';
import type { MessageKey } from '../messages/languages.js';
import { t } from '../messages/messages.js';
import {
  appLayouts,
  checkedLayout,
  formOf,
  type LayoutChoice,
  layoutForm,
  PRESET_NAMES,
} from '../state/settings.js';
import { WidthBar } from './width-bar.js';

type Width = Exclude<keyof BitLayoutOptions, 'order'>;

const WIDTHS: readonly (readonly [Width, MessageKey])[] = [
  ['timestampBits', 'layout.timestampBits'],
  ['datacenterBits', 'layout.datacenterBits'],
  ['workerBits', 'layout.workerBits'],
  ['sequenceBits', 'layout.sequenceBits'],
  ['tickMs', 'layout.tickMs'],
];

/** Chooses the layout that the page reads IDs with: the library's, a published one, or one of your own. */
export function LayoutPicker() {
  const form = layoutForm.value;
  const { layout, problem } = checkedLayout.value;
  const choose = (choice: LayoutChoice): void => {
    layoutForm.value = formOf(choice, form);
  };
  return (
    <section class="panel layout-picker">
      <div class="bar">
        <label>
          {t('layout.choice')}{' '}
          <select value={form.choice} onChange={(event) => choose(event.currentTarget.value as LayoutChoice)}>
            {appLayouts.value.map(({ name, choice }) => (
              <option key={choice} value={choice}>
                {t('layout.ofApp', { name })}
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
        <div class="grow">
          <WidthBar widths={layout.fields} />
        </div>
      </div>
      <details open={form.choice === 'custom'}>
        <summary>{t('layout.adjust')}</summary>
        <Fields />
      </details>
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </section>
  );
}

function Fields() {
  const form = layoutForm.value;
  return (
    <div class="form">
      {WIDTHS.map(([width, label]) => (
        <NumberField key={width} width={width} label={label} />
      ))}
      <label>
        {t('layout.epoch')}
        <input
          value={form.epoch}
          spellcheck={false}
          onInput={(event) => {
            layoutForm.value = { ...form, choice: 'custom', epoch: event.currentTarget.value.trim() };
          }}
        />
      </label>
    </div>
  );
}

function NumberField({ width, label }: { width: Width; label: MessageKey }) {
  const form = layoutForm.value;
  const change = (text: string): void => {
    const value = text === '' ? undefined : Number(text);
    layoutForm.value = { ...form, choice: 'custom', options: { ...form.options, [width]: value } };
  };
  return (
    <label>
      {t(label)}
      <input
        type="number"
        min={0}
        value={form.options[width] ?? ''}
        onInput={(event) => change(event.currentTarget.value)}
      />
    </label>
  );
}
