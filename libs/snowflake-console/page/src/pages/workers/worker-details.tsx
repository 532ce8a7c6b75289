import { t } from '../../messages/messages.js';
import { durationText } from '../../messages/durations.js';
import { localTime, relativeTime, utcTime, zone } from '../../messages/times.js';
import { Fact, Facts } from '../../ui/facts.js';
import type { Cell } from '../../workers/cells.js';
import { StateChip } from './state-chip.js';

/** Longer names of holders get their own line. */
const LONGEST_IN_COLUMN = 24;

/** Everything that the registry stores about one worker ID. */
export function WorkerDetails({ cell, nowMs }: { cell: Cell; nowMs: number }) {
  const { workerId, state, row } = cell;
  return (
    <section class="panel" aria-labelledby="worker-title">
      <h2 id="worker-title">
        {t('worker.title', { id: String(workerId) })} <StateChip state={state} />
      </h2>
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
          {row.state === 'offline' && (
            <Fact title={t('worker.offlineSince', { zone })}>
              {localTime(row.reservedUntilMs)} ({relativeTime(row.reservedUntilMs, nowMs)})
            </Fact>
          )}
          {row.state !== 'offline' && (
            <Fact title={t('worker.reservedUntil', { zone })}>{localTime(row.reservedUntilMs)}</Fact>
          )}
          <Fact title={t('time.utc')}>{utcTime(row.reservedUntilMs)}</Fact>
          {row.fencingToken && (
            <Fact title={t('worker.token')} isCode isLong>
              {row.fencingToken}
            </Fact>
          )}
        </Facts>
      )}
      <p class="note">{t(`worker.explained.${state}`)}</p>
    </section>
  );
}
