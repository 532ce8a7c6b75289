import type { Signal } from '@preact/signals';
import { CODEC_NAMES, type CodecName } from '../ids/texts-of-id.js';
import { t } from '../messages/messages.js';

/** Chooses the codec that writes IDs. */
export function FormatSelect({ value }: { value: Signal<CodecName> }) {
  return (
    <label>
      {t('generate.format')}
      <select
        value={value.value}
        onChange={(event) => (value.value = event.currentTarget.value as CodecName)}
      >
        {CODEC_NAMES.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}
