import type { RegistryWatch } from '../../../../src/api/console-api.js';
import { t } from '../../messages/messages.js';
import { localTime } from '../../messages/times.js';
import { Fact, Facts } from '../../ui/facts.js';
import type { HistoryChange, Observations } from '../../workers/observations.js';
import { ClockDifference } from './clock-difference.js';

/** How the clocks differ, and whether the store still remembers its grants. */
export function ClockPanel({
  seen: { watch, historyChanges },
  registry: { historyId, layout },
  browserMs,
}: {
  seen: Observations;
  registry: RegistryWatch;
  /** The clock of the browser when the event came. */
  browserMs: number;
}) {
  return (
    <section class="panel" aria-labelledby="clocks-title">
      <h2 id="clocks-title">{t('clocks.title')}</h2>
      <Facts>
        {watch.registry && (
          <Fact title={t('clocks.store')}>
            <ClockDifference aheadMs={watch.registry.storeNowMs - watch.hostNowMs} />
          </Fact>
        )}
        <Fact title={t('clocks.browser')}>
          <ClockDifference aheadMs={browserMs - watch.hostNowMs} />
        </Fact>
        <Fact title={t('history.id')} isCode isLong>
          {historyId ?? '–'}
        </Fact>
        <Fact title={t('history.layout')} isCode isLong>
          {layout ?? '–'}
        </Fact>
      </Facts>
      <History changes={historyChanges} />
      <p class="note">{t('clocks.note')}</p>
    </section>
  );
}

function History({ changes }: { changes: readonly HistoryChange[] }) {
  if (changes.length === 0) return <p>{t('history.same')}</p>;
  return (
    <ul class="plain-list">
      {changes.map((change, index) => (
        <Change key={index} change={change} />
      ))}
    </ul>
  );
}

function Change({ change: { atMs, history, forgotten, grantsAfterMs } }: { change: HistoryChange }) {
  return (
    <li>
      {localTime(atMs)}:{' '}
      {history && (
        <>
          <code>{history.from}</code> → <code>{history.to ?? '–'}</code>{' '}
        </>
      )}
      {forgotten > 0 && t('history.forgotten', { count: forgotten })}{' '}
      {grantsAfterMs !== undefined && t('history.grantsAfter', { time: localTime(grantsAfterMs) })}
    </li>
  );
}
