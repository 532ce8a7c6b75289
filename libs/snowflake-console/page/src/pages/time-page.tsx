import { computed, signal } from '@preact/signals';
import { IdDecoder, type IdRange } from 'nestjs-snowflake/core';
import { durationText } from '../messages/durations.js';
import { t } from '../messages/messages.js';
import { localTime, utcTime, zone } from '../messages/times.js';
import { layout } from '../state/settings.js';
import { inputOf, timeOf } from '../time/local-input.js';
import { rangeCondition } from '../time/range-sql.js';
import { CopyButton } from '../ui/copy-button.js';
import { Fact, Facts } from '../ui/facts.js';
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
        <TimesOfIds />
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
      <Facts>
        <Fact title={t('range.first')} isCode>
          {ids.first}
        </Fact>
        {ids.first !== ids.before && (
          <Fact title={t('range.last')} isCode>
            {String(BigInt(ids.before) - 1n)}
          </Fact>
        )}
        <Fact title={t('range.before')} isCode>
          {ids.before}
        </Fact>
      </Facts>
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

/** The reverse: when the IDs were made, and the range they span. */
const idTimes = computed(() => [firstId, lastId].map(({ value }) => timeOfId(value)));

function timeOfId(id: string): { readonly id: string; readonly ms?: number; readonly problem?: string } {
  if (id === '') return { id };
  try {
    return { id, ms: new IdDecoder(layout.value).decode(id).timestampMs };
  } catch (error) {
    return { id, problem: error instanceof Error ? error.message : String(error) };
  }
}

function TimesOfIds() {
  const [first, last] = idTimes.value;
  const span = first?.ms === undefined || last?.ms === undefined ? undefined : ([first.ms, last.ms] as const);
  return (
    <>
      {[first, last].map((each, index) => each && <TimeOfId key={index} {...each} />)}
      {span && span[1] >= span[0] && (
        <p class="bar">
          <span class="grow">{t('range.span', { duration: durationText(span[1] - span[0]) })}</span>
          <button type="button" class="button is-small" onClick={() => takeAsRange(span)}>
            {t('range.use')}
          </button>
        </p>
      )}
      {span && span[1] < span[0] && (
        <p class="problem" role="alert">
          {t('range.order')}
        </p>
      )}
    </>
  );
}

/** The end of a range is excluded, so it is the tick after the last ID. */
function takeAsRange([firstMs, lastMs]: readonly [number, number]): void {
  from.value = inputOf(firstMs);
  to.value = inputOf(lastMs + layout.value.tickMs);
}

function TimeOfId({ id, ms, problem }: (typeof idTimes.value)[number]) {
  if (problem !== undefined) {
    return (
      <p class="problem" role="alert">
        {problem}
      </p>
    );
  }
  if (ms === undefined) return null;
  return (
    <p>
      <span class="mono">{id}</span>: {localTime(ms)} · {utcTime(ms)}
    </p>
  );
}
