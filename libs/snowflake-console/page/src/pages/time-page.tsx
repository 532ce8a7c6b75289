import { computed, signal } from '@preact/signals';
import { IdDecoder, type IdRange } from 'nestjs-snowflake/core';
import { t } from '../messages/messages.js';
import { localTime, utcTime, zone } from '../messages/times.js';
import { layout } from '../state/settings.js';
import { inputOf, timeOf } from '../time/local-input.js';
import { rangeCondition } from '../time/range-sql.js';
import { CopyButton } from '../ui/copy-button.js';
import { LayoutPicker } from '../ui/layout-picker.js';

const HOUR_MS = 3_600_000;

const from = signal(inputOf(Date.now() - HOUR_MS));
const to = signal(inputOf(Date.now()));
const column = signal('id');
const firstId = signal('');
const lastId = signal('');

const range = computed<{ range?: IdRange; problem?: string }>(() => {
  const [fromMs, toMs] = [timeOf(from.value), timeOf(to.value)];
  if (fromMs === undefined || toMs === undefined) return { problem: t('range.incomplete') };
  try {
    return { range: new IdDecoder(layout.value).idRange(fromMs, toMs) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
});

/** Translates between a time range and the IDs in it. */
export function TimePage() {
  const { range: ids, problem } = range.value;
  return (
    <>
      <section class="panel">
        <h2>{t('range.toIds')}</h2>
        <div class="form">
          <TimeInput label={t('range.from', { zone })} value={from} />
          <TimeInput label={t('range.to', { zone })} value={to} />
          <label>
            {t('range.column')}
            <input
              value={column.value}
              spellcheck={false}
              onInput={(event) => (column.value = event.currentTarget.value)}
            />
          </label>
        </div>
        {problem && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        {ids && <RangeResult range={ids} />}
      </section>
      <section class="panel">
        <h2>{t('range.toTimes')}</h2>
        <div class="form">
          <IdInput label={t('range.first')} value={firstId} />
          <IdInput label={t('range.last')} value={lastId} />
        </div>
        <TimeOfId id={firstId.value} />
        <TimeOfId id={lastId.value} />
      </section>
      <LayoutPicker />
    </>
  );
}

function RangeResult({ range: ids }: { range: IdRange }) {
  const condition = rangeCondition(ids, column.value || 'id');
  return (
    <>
      <div class="bar">
        <h3 class="grow">SQL</h3>
        <CopyButton text={() => condition} />
      </div>
      <pre class="mono output" tabIndex={0} aria-label="SQL">
        {condition}
      </pre>
      <dl class="facts">
        <div class="fact">
          <dt>{t('range.first')}</dt>
          <dd class="mono">{ids.first}</dd>
        </div>
        <div class="fact">
          <dt>{t('range.before')}</dt>
          <dd class="mono">{ids.before}</dd>
        </div>
      </dl>
    </>
  );
}

function TimeInput({ label, value }: { label: string; value: typeof from }) {
  return (
    <label>
      {label}
      <input
        type="datetime-local"
        step="0.001"
        value={value.value}
        onInput={(event) => (value.value = event.currentTarget.value)}
      />
    </label>
  );
}

function IdInput({ label, value }: { label: string; value: typeof from }) {
  return (
    <label>
      {label}
      <input
        class="mono"
        inputMode="numeric"
        spellcheck={false}
        value={value.value}
        onInput={(event) => (value.value = event.currentTarget.value.trim())}
      />
    </label>
  );
}

function TimeOfId({ id }: { id: string }) {
  if (id === '') return null;
  try {
    const { timestampMs } = new IdDecoder(layout.value).decode(id);
    return (
      <p>
        <span class="mono">{id}</span>: {localTime(timestampMs)} · {utcTime(timestampMs)}
      </p>
    );
  } catch (error) {
    return (
      <p class="problem" role="alert">
        {error instanceof Error ? error.message : String(error)}
      </p>
    );
  }
}
