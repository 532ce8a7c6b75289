import { computed } from '@preact/signals';
import { textOf } from '../ids/texts-of-id.js';
import { MOST_OFFLINE_IDS, offlineIds } from '../generate/offline-ids.js';
import { type OfflineProblem, offlineProblem } from '../generate/offline-problem.js';
import { appFacts } from '../live/app-facts.js';
import { t } from '../messages/messages.js';
import { utcTime, zone } from '../messages/times.js';
import { checkedLayout, layout } from '../state/settings.js';
import { localOffset } from '../time/local-input.js';
import { FormatSelect } from '../ui/format-select.js';
import { IdLines } from '../ui/id-lines.js';
import { LayoutFields, LayoutNeeded } from '../ui/layout-picker.js';
import { isWithin, NumberInput } from '../ui/number-input.js';
import { TimeInput } from '../ui/time-input.js';
import { AppGenerator } from './app-generator.js';
import { count, datacenterId, format, sequence, time, workerId } from './generate-state.js';

type Outcome =
  | { readonly lines: readonly string[] }
  | { readonly problem: OfflineProblem }
  /** A field shows the problem. */
  | { readonly isWaiting: true };

const outcome = computed<Outcome>(() => {
  const { maxDatacenterId, maxWorkerId, maxSequence } = layout.value;
  const areRight =
    (maxDatacenterId === 0 || isWithin(datacenterId.value, { least: 0, most: maxDatacenterId })) &&
    isWithin(workerId.value, { least: 0, most: maxWorkerId }) &&
    isWithin(sequence.value, { least: 0, most: maxSequence }) &&
    isWithin(count.value, { least: 1, most: MOST_OFFLINE_IDS });
  if (!areRight) return { isWaiting: true };
  const problem = offlineProblem(layout.value, time.value.ms, sequence.value, count.value);
  if (problem) return { problem };
  const ids = offlineIds({
    layout: layout.value,
    timeMs: time.value.ms ?? Number.NaN,
    // A layout without datacenters has no field for one, so a value that was entered for another layout is ignored.
    datacenterId: maxDatacenterId === 0 ? 0 : datacenterId.value,
    workerId: workerId.value,
    sequence: sequence.value,
    count: count.value,
  });
  return { lines: ids.map((id) => textOf(id, format.value, layout.value) ?? id) };
});

/** Generates IDs: real ones with the app, and others for teaching and test data. */
export function GeneratePage() {
  return (
    <>
      {appFacts.value && <AppGenerator facts={appFacts.value} />}
      <section class="panel" aria-labelledby="offline-title">
        <h2 id="offline-title">{t('generate.offlineTitle')}</h2>
        <p class="note">{t('generate.offline')}</p>
        <div class="layout-picker is-part">
          <LayoutFields />
        </div>
        <Request />
        {checkedLayout.value.isValid ? <Result /> : <LayoutNeeded />}
      </section>
    </>
  );
}

function Result() {
  const result = outcome.value;
  if ('lines' in result) return <IdLines lines={result.lines} label={t('generate.resultLabel')} />;
  if ('isWaiting' in result) return <p class="note">{t('number.waiting')}</p>;
  const { epochMs, expiresAt } = layout.value;
  const values = { epoch: utcTime(epochMs), end: utcTime(expiresAt.getTime()) };
  return (
    <p class="problem" role="alert">
      {t(`time.problem.${result.problem}`, values)}
    </p>
  );
}

function Request() {
  const { maxDatacenterId, maxWorkerId, maxSequence } = layout.value;
  return (
    <div class="form">
      <TimeInput label={t('generate.time')} value={time} zone={zone} offsetAt={localOffset} />
      {maxDatacenterId > 0 && (
        <NumberInput label={t('field.datacenter')} value={datacenterId} most={maxDatacenterId} />
      )}
      <NumberInput label={t('field.worker')} value={workerId} most={maxWorkerId} />
      <NumberInput label={t('field.sequence')} value={sequence} most={maxSequence} />
      <NumberInput label={t('generate.count')} value={count} least={1} most={MOST_OFFLINE_IDS} />
      <FormatSelect value={format} />
    </div>
  );
}
