import { useEffect, useRef } from 'preact/hooks';
import { t } from '../../messages/messages.js';
import { durationText } from '../../messages/durations.js';
import { localTime, relativeTime, zone } from '../../messages/times.js';
import { Fact, Facts } from '../../ui/facts.js';
import type { Cell } from '../../workers/cells.js';
import { ClockDifference } from './clock-difference.js';
import { StateChip } from './state-chip.js';

/** Longer names of holders get their own line. */
const LONGEST_IN_COLUMN = 24;

/** Everything that the registry stores about one worker ID. */
export function WorkerDetails({ cell, nowMs }: { cell: Cell; nowMs: number }) {
  const { workerId, state } = cell;
  const self = useRef<HTMLDivElement>(null);
  // They follow a map that can be higher than the screen.
  useEffect(() => self.current?.scrollIntoView({ block: 'nearest' }), [workerId]);
  return (
    <div ref={self} class="worker-details" role="group" aria-labelledby="worker-title">
      <h3 id="worker-title">
        {t('worker.title', { id: String(workerId) })} <StateChip state={state} />
      </h3>
      <WorkerFacts cell={cell} nowMs={nowMs} />
    </div>
  );
}

/** The same without its title, for a place that names the worker ID. */
export function WorkerFacts({ cell, nowMs }: { cell: Cell; nowMs: number }) {
  const { state, row } = cell;
  return (
    <div class="details">
      {state === 'unused' && <p>{t('worker.unused')}</p>}
      {row && (
        <Facts>
          {row.holder !== undefined && (
            <Fact title={t('worker.holder')} isCode isLong={row.holder.length > LONGEST_IN_COLUMN}>
              {row.holder}
            </Fact>
          )}
          {row.state === 'held' && (
            <Fact title={t('worker.left')}>
              {row.reservedUntilMs > nowMs ? durationText(row.reservedUntilMs - nowMs) : t('worker.over')}
            </Fact>
          )}
          {row.claimedUntilMs !== undefined && (
            <Fact title={t('worker.claimedUntil', { zone })}>{localTime(row.claimedUntilMs)}</Fact>
          )}
          {row.state === 'offline' && (
            <Fact title={t('worker.offlineSince', { zone })}>
              {localTime(row.reservedUntilMs)} ({relativeTime(row.reservedUntilMs, nowMs)})
            </Fact>
          )}
          {row.windowFromMs !== undefined && (
            <Fact title={t('worker.windowFrom', { zone })}>{localTime(row.windowFromMs)}</Fact>
          )}
          {(row.state === 'held' || row.state === 'released') && (
            <Fact title={t('worker.reservedUntil', { zone })}>{localTime(row.reservedUntilMs)}</Fact>
          )}
          {row.clockCorrectionMs !== undefined && (
            <Fact title={t('worker.clock')}>
              <ClockDifference aheadMs={-row.clockCorrectionMs} />
            </Fact>
          )}
          {row.fencingToken && (
            <Fact title={t('worker.token')} isCode isLong>
              {row.fencingToken}
            </Fact>
          )}
        </Facts>
      )}
      <p class="note">{t(`worker.explained.${state}`)}</p>
    </div>
  );
}
