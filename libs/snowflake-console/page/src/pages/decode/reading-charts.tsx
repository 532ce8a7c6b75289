import { timeChart } from '../../ids/histogram.js';
import type { Reading } from '../../ids/reading.js';
import { numberText, t } from '../../messages/messages.js';
import { localTime, shortTime } from '../../messages/times.js';
import { BarChart } from '../../ui/bar-chart.js';

/** When the IDs were made. A range of bars that the pointer is drawn over is what the table then shows. */
export function ReadingChart({
  readings,
  onRange,
}: {
  readings: readonly Reading[];
  onRange: (fromMs: number, toMs: number) => void;
}) {
  const { bars, before, after } = timeChart(readings);
  const [first, last] = [bars[0], bars.at(-1)];
  if (!first || !last || bars.length < 2) return null;
  return (
    <figure class="times">
      <BarChart
        title={t('chart.timeLabel', { from: localTime(first.fromMs), to: localTime(last.toMs) })}
        bars={bars.map(({ fromMs, count }) => ({
          key: fromMs,
          count,
          label: `${localTime(fromMs)}: ${numberText(count)}`,
        }))}
        onRange={(from, to) => onRange(bars[from]?.fromMs ?? first.fromMs, bars[to]?.toMs ?? last.toMs)}
      />
      <figcaption class="chart-ends">
        <span>
          {shortTime(first.fromMs)}
          {before > 0 && ` (${t('chart.before', { count: before })})`}
        </span>
        <span class="chart-hint">{t('chart.drag')}</span>
        <span>
          {shortTime(last.toMs)}
          {after > 0 && ` (${t('chart.after', { count: after })})`}
        </span>
      </figcaption>
    </figure>
  );
}
