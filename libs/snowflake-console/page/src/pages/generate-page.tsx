import { computed, signal } from '@preact/signals';
import { textsOf } from '../ids/texts-of-id.js';
import { MOST_OFFLINE_IDS, offlineIds } from '../generate/offline-ids.js';
import { t } from '../messages/messages.js';
import { zone } from '../messages/times.js';
import { layout } from '../state/settings.js';
import { inputOf, timeOf } from '../time/local-input.js';
import { CopyButton } from '../ui/copy-button.js';
import { download } from '../ui/download.js';
import { LayoutPicker } from '../ui/layout-picker.js';
import { NumberInput } from '../ui/number-input.js';

const FORMATS = ['decimal', 'sortableDecimal', 'hex', 'base62', 'base36', 'base32', 'readable'] as const;

const time = signal(inputOf(Date.now()));
const datacenterId = signal(0);
const workerId = signal(0);
const sequence = signal(0);
const count = signal(10);
const format = signal<(typeof FORMATS)[number]>('decimal');

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
    return { lines: ids.map(written) };
  } catch (error) {
    return { lines: [], problem: error instanceof Error ? error.message : String(error) };
  }
});

function written(id: string): string {
  if (format.value === 'decimal') return id;
  return textsOf(id, layout.value).find(({ codec }) => codec === format.value)?.text ?? id;
}

/** Composes IDs for teaching and test data. */
export function GeneratePage() {
  return (
    <>
      <p class="panel hint">{t('generate.offline')}</p>
      <Request />
      <LayoutPicker />
      <Result lines={outcome.value.lines} />
    </>
  );
}

function Request() {
  const { maxDatacenterId, maxWorkerId, maxSequence } = layout.value;
  const { problem } = outcome.value;
  return (
    <section class="panel form">
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
      <label>
        {t('generate.format')}
        <select
          value={format.value}
          onChange={(event) => (format.value = event.currentTarget.value as (typeof FORMATS)[number])}
        >
          {FORMATS.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </section>
  );
}

function Result({ lines }: { lines: readonly string[] }) {
  return (
    <section class="panel">
      <div class="bar">
        <h2 class="grow">{t('generate.result', { count: lines.length })}</h2>
        <CopyButton text={() => lines.join('\n')} />
        <button
          type="button"
          class="button is-small"
          onClick={() => download('ids.txt', 'text/plain', `${lines.join('\n')}\n`)}
        >
          {t('generate.download')}
        </button>
      </div>
      <pre class="mono output" tabIndex={0} aria-label={t('generate.resultLabel')}>
        {lines.join('\n')}
      </pre>
    </section>
  );
}
