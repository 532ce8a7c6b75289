import type { SegmentWatch } from '../../../../src/api/console-api.js';
import { lastWatch } from '../../live/watching.js';
import { durationText } from '../../messages/durations.js';
import { numberText, stateText, t } from '../../messages/messages.js';

/** The sources of segments in this process. */
export function SegmentTable() {
  const { segments = [], omittedSegments: omitted } = lastWatch.value?.event ?? {};
  return (
    <section class="panel">
      <h2>{t('segments.title')}</h2>
      {segments.length === 0 ? (
        <p>{t('segments.none')}</p>
      ) : (
        <div class="scroller" tabIndex={0} role="region" aria-label={t('segments.title')}>
          <table>
            <thead>
              <tr>
                <th scope="col">{t('segments.tag')}</th>
                <th scope="col">{t('process.state')}</th>
                <th scope="col" class="number">
                  {t('segments.left')}
                </th>
                <th scope="col" class="number">
                  {t('segments.highest')}
                </th>
                <th scope="col" class="number">
                  {t('process.issued')}
                </th>
                <th scope="col" class="number">
                  {t('segments.rate')}
                </th>
                <th scope="col">{t('segments.lasts')}</th>
                <th scope="col">{t('segments.error')}</th>
              </tr>
            </thead>
            <tbody>
              {segments.map((segment) => (
                <Row key={segment.tag} segment={segment} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {omitted !== undefined && <p class="problem">{t('segments.omitted', { count: omitted })}</p>}
    </section>
  );
}

function Row({ segment }: { segment: SegmentWatch }) {
  const { tag, state, left, highest, issued, perSecond, lastsMs, lastErrorCode } = segment;
  return (
    <tr>
      <th scope="row" class="is-long">
        {tag}
      </th>
      <td>
        <span class={`chip is-maker-${state}`}>{stateText(state)}</span>
      </td>
      <td class="number">{numberText(left)}</td>
      <td class="number">{highest === undefined ? '–' : numberText(highest)}</td>
      <td class="number">{numberText(issued)}</td>
      <td class="number">{numberText(perSecond, { maximumFractionDigits: perSecond < 10 ? 1 : 0 })}</td>
      <td>{lastsMs === undefined ? '–' : durationText(lastsMs)}</td>
      <td>{lastErrorCode ? <code>{lastErrorCode}</code> : '–'}</td>
    </tr>
  );
}
