import { numberText, t } from '../../messages/messages.js';
import { localTime } from '../../messages/times.js';
import { type Incident, incidentsOf, type Observations, timesOf } from '../../workers/observations.js';

const MOST_ROWS = 50;

/** Worker IDs that lose their holders, as far as this page has seen it. */
export function IncidentPanel({ seen, sinceMs }: { seen: Observations; sinceMs: number }) {
  const incidents = incidentsOf(seen);
  return (
    <section class="panel">
      <h2>{t('incidents.title')}</h2>
      <p class="note">{t('incidents.since', { time: localTime(sinceMs) })}</p>
      {incidents.length === 0 ? (
        <p>{t('incidents.none')}</p>
      ) : (
        <div class="scroller" tabIndex={0} role="region" aria-label={t('incidents.title')}>
          <table>
            <thead>
              <tr>
                <th scope="col">{t('workers.workerId')}</th>
                <th scope="col" class="number">
                  {t('incidents.lapses')}
                </th>
                <th scope="col" class="number">
                  {t('incidents.takeovers')}
                </th>
                <th scope="col" class="number">
                  {t('incidents.losses')}
                </th>
                <th scope="col">{t('incidents.last')}</th>
                <th scope="col">{t('incidents.holders')}</th>
              </tr>
            </thead>
            <tbody>
              {incidents.slice(0, MOST_ROWS).map((incident) => (
                <Row key={incident.workerId} incident={incident} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {incidents.length > MOST_ROWS && (
        <p class="note">{t('table.shown', { count: MOST_ROWS, of: incidents.length })}</p>
      )}
    </section>
  );
}

function Row({ incident }: { incident: Incident }) {
  const { workerId, lapses, takeovers, losses, lastMs, holders } = incident;
  return (
    <tr>
      <th scope="row">
        {workerId} {timesOf(incident) > 1 && <span class="chip is-warning">{t('incidents.repeats')}</span>}
      </th>
      <td class="number">{numberText(lapses)}</td>
      <td class="number">{numberText(takeovers)}</td>
      <td class="number">{numberText(losses)}</td>
      <td>{localTime(lastMs)}</td>
      <td class="mono is-long">{holders.join(' → ')}</td>
    </tr>
  );
}
