import type { RegistryWatch } from '../../../../src/api/console-api.js';
import { durationText } from '../../messages/durations.js';
import { t } from '../../messages/messages.js';
import { localTime } from '../../messages/times.js';
import { Fact, Facts } from '../../ui/facts.js';
import type { HistoryChange, Observations } from '../../workers/observations.js';
import { NOTABLE_MS } from '../../workers/problems.js';

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
            <Difference ms={watch.registry.storeNowMs - watch.hostNowMs} />
          </Fact>
        )}
        <Fact title={t('clocks.browser')}>
          <Difference ms={browserMs - watch.hostNowMs} />
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

function Difference({ ms }: { ms: number }) {
  const duration = durationText(ms);
  const words = ms === 0 ? duration : t(ms > 0 ? 'clocks.ahead' : 'clocks.behind', { duration });
  return <span class={Math.abs(ms) >= NOTABLE_MS ? 'chip is-warning' : ''}>{words}</span>;
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
