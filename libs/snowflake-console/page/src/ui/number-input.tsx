import type { Signal } from '@preact/signals';

/** A whole number within bounds. */
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
    <label>
      {label}
      <input
        type="number"
        min={least}
        max={most}
        value={value.value}
        onInput={(event) => {
          const number = event.currentTarget.valueAsNumber;
          if (Number.isSafeInteger(number)) value.value = number;
        }}
      />
    </label>
  );
}
