import { byWorker, overTime } from '../../ids/histogram.js';
import type { Reading } from '../../ids/reading.js';
import { numberText, t } from '../../messages/messages.js';
import { localTime } from '../../messages/times.js';
import { BarChart } from '../../ui/bar-chart.js';
import { ShareBar } from '../../ui/share-bar.js';

const MOST_WORKERS = 12;

/** How many IDs were made when, and by which worker IDs. */
export function ReadingCharts({
  readings,
  onWorker,
}: {
  readings: readonly Reading[];
  onWorker: (workerId: number) => void;
}) {
  const bars = overTime(readings);
  const [first, last] = [bars[0], bars.at(-1)];
  const workers = byWorker(readings);
  const listed = workers.slice(0, MOST_WORKERS);
  const largest = listed[0]?.count ?? 0;
  if (!first || !last) return null;
  return (
    <section class="panel charts">
      <div>
        <h2>{t('chart.time')}</h2>
        <BarChart
          title={t('chart.timeLabel', { from: localTime(first.fromMs), to: localTime(last.toMs) })}
          bars={bars.map(({ fromMs, count }) => ({
            key: fromMs,
            count,
            label: `${localTime(fromMs)}: ${numberText(count)}`,
          }))}
        />
        <p class="chart-ends">
          <span>{localTime(first.fromMs)}</span>
          <span>{localTime(last.toMs)}</span>
        </p>
      </div>
      <div>
        <h2>{t('chart.worker')}</h2>
        <ul class="worker-list">
          {listed.map(({ workerId, count }) => (
            <li key={workerId}>
              <button type="button" class="button is-small" onClick={() => onWorker(workerId)}>
                {workerId}
              </button>
              <ShareBar part={count} whole={largest} />
              <span>{numberText(count)}</span>
            </li>
          ))}
        </ul>
        {workers.length > listed.length && (
          <p class="note">{t('chart.workersLeft', { count: listed.length, of: workers.length })}</p>
        )}
      </div>
    </section>
  );
}
