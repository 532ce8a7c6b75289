import type { Signal } from '@preact/signals';
import { Field } from './field.js';

/** A line of text. */
export function TextInput({
  label,
  value,
  problem,
  isCode,
}: {
  label: string;
  value: Signal<string>;
  problem?: string;
  isCode?: boolean;
}) {
  return (
    <Field
      label={label}
      problem={problem}
      input={(attributes) => (
        <input
          {...attributes}
          class={isCode ? 'mono' : undefined}
          spellcheck={false}
          autocapitalize="off"
          value={value.value}
          onInput={(event) => (value.value = event.currentTarget.value)}
        />
      )}
    />
  );
}
