import { computed } from '@preact/signals';
import type { IdRange } from 'nestjs-snowflake/core';
import { type DecodedTime, timeOfId } from '../ids/time-of-id.js';
import { durationText } from '../messages/durations.js';
import { t } from '../messages/messages.js';
import { localTime, utcTime, zone } from '../messages/times.js';
import { checkedLayout, layout } from '../state/settings.js';
import { LAST_DATE_MS, momentOf, type OffsetAt } from '../time/local-input.js';
import { hourRange, presetRange, RANGE_PRESETS } from '../time/range-presets.js';
import { rangeOutcome } from '../time/range-problem.js';
import { type Dialect, DIALECTS, rangeCondition } from '../time/range-sql.js';
import { CopyButton } from '../ui/copy-button.js';
import { CopyIcon } from '../ui/copy-icon.js';
import { Fact, Facts } from '../ui/facts.js';
import { LayoutChip, LayoutDetails, LayoutNeeded, UnknownLayout } from '../ui/layout-picker.js';
import { TextInput } from '../ui/text-input.js';
import { TimeInput } from '../ui/time-input.js';
import {
  chooseClock,
  type Clock,
  clock,
  column,
  dialect,
  firstId,
  from,
  lastId,
  offsetOf,
  to,
} from './time-state.js';

const DATABASES: Readonly<Record<Dialect, string>> = {
  standard: 'PostgreSQL, SQLite',
  mysql: 'MySQL, MariaDB',
};

const outcome = computed(() => rangeOutcome(layout.value, from.value.ms, to.value.ms));

/** Translates between a time range and the IDs in it. */
export function TimePage() {
  const { isValid } = checkedLayout.value;
  return (
    <>
      <section class="panel">
        <div class="bar is-first">
          <h2 class="grow">{t('range.toIds')}</h2>
          <LayoutChip />
        </div>
        <UnknownLayout />
        <Presets />
        <RangeForm />
        {isValid ? <Range /> : <LayoutNeeded />}
      </section>
      <section class="panel">
        <h2>{t('range.toTimes')}</h2>
        <div class="form">
          <TextInput label={t('range.first')} value={firstId} isCode />
          <TextInput label={t('range.last')} value={lastId} isCode />
        </div>
        {isValid ? <TimesOfIds /> : <LayoutNeeded />}
      </section>
      <LayoutDetails />
    </>
  );
}

const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

function chooseRange([fromMs, toMs]: readonly [number, number]): void {
  const offsetAt = offsetOf(clock.value);
  from.value = momentOf(fromMs, offsetAt);
  to.value = momentOf(toMs, offsetAt);
}

function Presets() {
  const offsetAt = offsetOf(clock.value);
  return (
    <div class="bar presets" role="group" aria-label={t('range.presets')}>
      {RANGE_PRESETS.map((preset) => (
        <button
          key={preset}
          type="button"
          class="button is-small"
          onClick={() => chooseRange(presetRange(preset, Date.now(), offsetAt))}
        >
          {t(`range.preset.${preset}`)}
        </button>
      ))}
      <Hours offsetAt={offsetAt} />
    </div>
  );
}

/** Chooses one hour of the day on which the range begins. */
function Hours({ offsetAt }: { offsetAt: OffsetAt }) {
  const [{ ms: fromMs = Date.now() }, { ms: toMs }] = [from.value, to.value];
  const rangeOf = (hour: number) => hourRange(fromMs, hour, offsetAt);
  const chosen = HOURS.find((hour) => rangeOf(hour)[0] === fromMs && rangeOf(hour)[1] === toMs);
  return (
    <label>
      {t('range.hour')}{' '}
      <select
        value={chosen ?? ''}
        onChange={({ currentTarget: { value } }) => value !== '' && chooseRange(rangeOf(Number(value)))}
      >
        <option value="">–</option>
        {HOURS.map((hour) => (
          <option key={hour} value={hour}>
            {hour}:00 – {hour + 1}:00
          </option>
        ))}
      </select>
    </label>
  );
}

function RangeForm() {
  const shownZone = clock.value === 'utc' ? 'UTC' : zone;
  const place = { zone: shownZone, offsetAt: offsetOf(clock.value) };
  return (
    <div class="form">
      <TimeInput label={t('range.from', { zone: shownZone })} value={from} {...place} />
      <TimeInput label={t('range.to', { zone: shownZone })} value={to} {...place} />
      <label>
        {t('range.clock')}
        <select value={clock.value} onChange={(event) => chooseClock(event.currentTarget.value as Clock)}>
          <option value="local">{zone}</option>
          <option value="utc">UTC</option>
        </select>
      </label>
      <TextInput label={t('range.column')} value={column} />
      <label>
        {t('range.dialect')}
        <select
          value={dialect.value}
          onChange={(event) => (dialect.value = event.currentTarget.value as Dialect)}
        >
          {DIALECTS.map((name) => (
            <option key={name} value={name}>
              {DATABASES[name]}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

function Range() {
  const { epochMs, expiresAt, tickMs } = layout.value;
  const result = outcome.value;
  // A time that the clocks skip is marked where it is entered.
  const isMarked = [from.value, to.value].some(({ text, ms }) => text !== '' && ms === undefined);
  const values = { epoch: utcTime(epochMs), end: utcTime(expiresAt.getTime()), tick: tickMs };
  if ('problem' in result) {
    return (
      <p class="problem" role="alert">
        {isMarked ? t('number.waiting') : t(`time.problem.${result.problem}`, values)}
      </p>
    );
  }
  return (
    <>
      {result.beginsBeforeEpoch && (
        <p class="note" role="status">
          {t('time.problem.beforeEpoch', values)}
        </p>
      )}
      <RangeResult range={result.range} />
    </>
  );
}

function RangeResult({ range: ids }: { range: IdRange }) {
  const condition = rangeCondition(ids, column.value.trim() || 'id', dialect.value);
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
        <IdFact title={t('range.first')} id={ids.first} />
        <IdFact title={t('range.last')} id={String(BigInt(ids.before) - 1n)} />
        <IdFact title={t('range.before')} id={ids.before} />
      </Facts>
    </>
  );
}

function IdFact({ title, id }: { title: string; id: string }) {
  return (
    <Fact title={title} isCode>
      {id} <CopyIcon text={id} what={title} />
    </Fact>
  );
}

/** The reverse: when the IDs were made, and the range they span. */
const idTimes = computed(() => [firstId, lastId].map(({ value }) => timeOfId(value, layout.value)));

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
  chooseRange([firstMs, Math.min(lastMs + layout.value.tickMs, LAST_DATE_MS)]);
}

function TimeOfId({ id, ms, problem }: DecodedTime) {
  if (problem !== undefined) {
    return (
      <p class="problem" role="alert">
        <span class="mono">{id}</span>: {t(problem)}
      </p>
    );
  }
  if (ms === undefined) return null;
  return (
    <p>
      <span class="mono">{id}</span>: {localTime(ms)} · {utcTime(ms)}{' '}
      <CopyIcon text={utcTime(ms)} what={t('time.utc')} /> · {t('time.unix')} {ms}{' '}
      <CopyIcon text={String(ms)} what={t('time.unix')} />
    </p>
  );
}
