import type { Signal } from '@preact/signals';
import { t } from '../messages/messages.js';
import { Field } from './field.js';

export interface Bounds {
  readonly least: number;
  readonly most: number;
}

/** Whether a field holds a whole number within its bounds. An empty field holds NaN. */
export function isWithin(value: number, { least, most }: Bounds): boolean {
  return Number.isSafeInteger(value) && value >= least && value <= most;
}

/** Says what to enter instead, or nothing if the value is right. */
export function problemOf(value: number, bounds: Bounds): string | undefined {
  return isWithin(value, bounds) ? undefined : t('number.between', { ...bounds });
}

/** A whole number within bounds. The value is what the field shows, also if that is wrong. */
export function NumberInput({
  label,
  value,
  least = 0,
  most,
}: {
  label: string;
  value: Signal<number>;
  least?: number;
  most: number;
}) {
  return (
    <Field
      label={label}
      problem={problemOf(value.value, { least, most })}
      input={(attributes) => (
        <input
          {...attributes}
          type="number"
          min={least}
          max={most}
          value={Number.isNaN(value.value) ? '' : value.value}
          onInput={(event) => (value.value = event.currentTarget.valueAsNumber)}
        />
      )}
    />
  );
}
