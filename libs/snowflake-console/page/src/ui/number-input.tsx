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

/** Returns a message that explains what to enter, or undefined if the value is valid. */
export function problemOf(value: number, bounds: Bounds): string | undefined {
  return isWithin(value, bounds) ? undefined : t('number.between', { ...bounds });
}

interface NumberFieldProps {
  label: string;
  value: number;
  least?: number;
  most: number;
  change: (value: number) => void;
}

/** A whole number within bounds. The value is what the field shows, also if that is wrong. */
export function NumberField({ label, value, least = 0, most, change }: NumberFieldProps) {
  return (
    <Field
      label={label}
      problem={problemOf(value, { least, most })}
      input={(attributes) => (
        <input
          {...attributes}
          type="number"
          min={least}
          max={most}
          value={Number.isNaN(value) ? '' : value}
          onInput={(event) => change(event.currentTarget.valueAsNumber)}
        />
      )}
    />
  );
}

/** A {@link NumberField} of a signal. */
export function NumberInput({
  value,
  ...field
}: Omit<NumberFieldProps, 'value' | 'change'> & { value: Signal<number> }) {
  return <NumberField {...field} value={value.value} change={(number) => (value.value = number)} />;
}
