import { durationText } from '../../messages/durations.js';
import { t } from '../../messages/messages.js';
import { localTime } from '../../messages/times.js';
import { Fact, Facts } from '../../ui/facts.js';
import type { HistoryChange, Observations } from '../../workers/observations.js';

/** A difference that the delay of an answer doesn't explain. */
const NOTABLE_MS = 1000;

/** How the clocks differ, and whether the store still remembers its grants. */
export function ClockPanel({
  seen: { watch, registry, historyChanges },
  browserMs,
  storeNowMs,
}: {
  seen: Observations;
  /** The clock of the browser when the event came. */
  browserMs: number;
  storeNowMs: number | undefined;
}) {
  const { grantsAfterMs, historyId, layout } = registry ?? {};
  const isQuarantined = grantsAfterMs !== undefined && storeNowMs !== undefined && grantsAfterMs > storeNowMs;
  return (
    <section class="panel" aria-labelledby="clocks-title">
      <h2 id="clocks-title">{t('clocks.title')}</h2>
      {isQuarantined && (
        <p class="problem">
          {t('history.waits', {
            time: localTime(grantsAfterMs),
            duration: durationText(grantsAfterMs - storeNowMs),
          })}
        </p>
      )}
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
      {registry ? <History changes={historyChanges} /> : <p>{t('history.unread')}</p>}
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
    <>
      <p class="problem">{t('history.changed', { count: changes.length })}</p>
      <ul class="plain-list">
        {changes.map((change, index) => (
          <Change key={index} change={change} />
        ))}
      </ul>
    </>
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
