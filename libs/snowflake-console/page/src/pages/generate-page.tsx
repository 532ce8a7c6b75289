import { computed, signal } from '@preact/signals';
import { type CodecName, textOf } from '../ids/texts-of-id.js';
import { MOST_OFFLINE_IDS, offlineIds } from '../generate/offline-ids.js';
import { appFacts } from '../live/app-facts.js';
import { t } from '../messages/messages.js';
import { zone } from '../messages/times.js';
import { layout } from '../state/settings.js';
import { inputOf, timeOf } from '../time/local-input.js';
import { FormatSelect } from '../ui/format-select.js';
import { IdLines } from '../ui/id-lines.js';
import { LayoutPicker } from '../ui/layout-picker.js';
import { NumberInput } from '../ui/number-input.js';
import { AppGenerator } from './app-generator.js';

const time = signal(inputOf(Date.now()));
const datacenterId = signal(0);
const workerId = signal(0);
const sequence = signal(0);
const count = signal(10);
const format = signal<CodecName>('decimal');

const outcome = computed<{ lines: readonly string[]; problem?: string }>(() => {
  try {
    const ids = offlineIds({
      layout: layout.value,
      timeMs: timeOf(time.value) ?? Number.NaN,
      datacenterId: datacenterId.value,
      workerId: workerId.value,
      sequence: sequence.value,
      count: Math.min(count.value, MOST_OFFLINE_IDS),
    });
    return { lines: ids.map((id) => textOf(id, format.value, layout.value) ?? id) };
  } catch (error) {
    return { lines: [], problem: error instanceof Error ? error.message : String(error) };
  }
});

/** Makes IDs: real ones with the app, and others for teaching and test data. */
export function GeneratePage() {
  return (
    <>
      {appFacts.value && <AppGenerator facts={appFacts.value} />}
      <LayoutPicker />
      <section class="panel" aria-labelledby="offline-title">
        <h2 id="offline-title">{t('generate.offlineTitle')}</h2>
        <p class="note">{t('generate.offline')}</p>
        <Request />
        <IdLines lines={outcome.value.lines} label={t('generate.resultLabel')} />
      </section>
    </>
  );
}

function Request() {
  const { maxDatacenterId, maxWorkerId, maxSequence } = layout.value;
  const { problem } = outcome.value;
  return (
    <div class="form">
      <label>
        {t('generate.time', { zone })}
        <input
          type="datetime-local"
          step="0.001"
          value={time.value}
          onInput={(event) => (time.value = event.currentTarget.value)}
        />
      </label>
      {maxDatacenterId > 0 && (
        <NumberInput label={t('field.datacenter')} value={datacenterId} most={maxDatacenterId} />
      )}
      <NumberInput label={t('field.worker')} value={workerId} most={maxWorkerId} />
      <NumberInput label={t('field.sequence')} value={sequence} most={maxSequence} />
      <NumberInput label={t('generate.count')} value={count} least={1} most={MOST_OFFLINE_IDS} />
      <FormatSelect value={format} />
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}
