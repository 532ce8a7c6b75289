import type { MakerFacts, MakerStatusWatch } from '../../../../src/api/console-api.js';
import { durationText } from '../../messages/durations.js';
import { numberText, stateText, t } from '../../messages/messages.js';
import { dateText, localTime } from '../../messages/times.js';
import { BarChart } from '../../ui/bar-chart.js';
import { Fact, Facts } from '../../ui/facts.js';
import { type Observations, type RateSample, ratesOf } from '../../workers/observations.js';

/** Fewer bars would be blocks that say nothing. */
const FEWEST_BARS = 10;

/** What the ID maker of this process does. */
export function ProcessPanel({
  seen: { watch, registry, samples },
  facts,
  hostNowMs,
}: {
  seen: Observations;
  facts: MakerFacts | undefined;
  hostNowMs: number;
}) {
  const { status } = watch;
  if (!status) return null;
  const rates = ratesOf(samples);
  const holder = registry?.workers.find(({ workerId }) => workerId === status.workerId)?.holder;
  return (
    <section class="panel" aria-labelledby="process-title">
      <h2 id="process-title">
        {t('process.title')} {holder !== undefined && <code class="process-name">{holder}</code>}
      </h2>
      <Facts>
        <Fact title={t('process.state')}>
          <span class={`chip is-maker-${status.state}`}>{stateText(status.state)}</span>
        </Fact>
        <Fact title={t('workers.workerId')}>{status.workerId ?? '–'}</Fact>
        {status.datacenterId !== undefined && (
          <Fact title={t('field.datacenter')}>{status.datacenterId}</Fact>
        )}
        <Fact title={t('process.lease')}>{leaseText(status, hostNowMs)}</Fact>
        {status.idsLeft !== undefined && (
          <Fact title={t('process.idsLeft')}>{numberText(status.idsLeft)}</Fact>
        )}
        <Fact title={t('process.issued')}>{numberText(status.issued)}</Fact>
        <Fact title={t('process.rate')}>{rates.length === 0 ? '–' : rateText(rates.at(-1) ?? 0)}</Fact>
        <Fact title={t('process.drift')}>{durationText(status.driftMs)}</Fact>
        <Fact title={t('process.correction')}>{signed(status.clockCorrectionMs)}</Fact>
        <Fact title={t('process.failures')}>
          <Failures status={status} />
        </Fact>
        <Fact title={t('process.ends')}>{dateText(status.expiresAtMs)}</Fact>
        {facts && <Fact title={t('process.store')}>{facts.store}</Fact>}
      </Facts>
      {rates.length >= FEWEST_BARS && <RateChart samples={samples} />}
    </section>
  );
}

function leaseText({ leaseUntilMs, clockCorrectionMs }: MakerStatusWatch, hostNowMs: number): string {
  if (leaseUntilMs === undefined) return t('process.noEnd');
  // The window is in the time of the store, by which the ID maker corrects a wrong clock of its host.
  const leftMs = leaseUntilMs - (hostNowMs + clockCorrectionMs);
  return leftMs <= 0
    ? `${localTime(leaseUntilMs)} (${t('worker.over')})`
    : `${localTime(leaseUntilMs)} (${t('process.left', { duration: durationText(leftMs) })})`;
}

function Failures({ status: { failedCalls, lastErrorCode } }: { status: MakerStatusWatch }) {
  const failures = Object.entries(failedCalls);
  if (failures.length === 0) return <>{t('process.noFailures')}</>;
  return (
    <ul class="plain-list">
      {failures.map(([code, count]) => (
        <li key={code}>
          <code>{code}</code> × {numberText(count)}
          {code === lastErrorCode && ` (${t('process.lastCall')})`}
        </li>
      ))}
    </ul>
  );
}

function RateChart({ samples }: { samples: readonly RateSample[] }) {
  const rates = ratesOf(samples);
  const lengthMs = (samples.at(-1)?.hostNowMs ?? 0) - (samples[0]?.hostNowMs ?? 0);
  const title = t('process.rateChart', {
    duration: durationText(lengthMs),
    most: rateText(Math.max(...rates)),
  });
  return (
    <figure class="rate">
      <BarChart
        title={title}
        bars={rates.map((rate, index) => ({ key: index, count: rate, label: rateText(rate) }))}
      />
      <figcaption>{title}</figcaption>
    </figure>
  );
}

function rateText(rate: number): string {
  return numberText(rate, { maximumFractionDigits: rate < 10 ? 1 : 0 });
}

function signed(ms: number): string {
  return ms === 0 ? durationText(0) : `${ms > 0 ? '+' : '−'}${durationText(ms)}`;
}
