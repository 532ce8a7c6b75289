import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { SeriesFacts } from '../../../../src/api/console-api.js';
import { jsonFrom } from '../../live/app-facts.js';
import type { MessageKey } from '../../messages/languages.js';
import { t } from '../../messages/messages.js';

/** A later version can have others, which are shown as they are. */
const RESETS: Readonly<Record<string, MessageKey>> = {
  never: 'resets.never',
  year: 'resets.year',
  fiscal: 'resets.fiscal',
  quarter: 'resets.quarter',
  month: 'resets.month',
  day: 'resets.day',
};

const facts = signal<SeriesFacts | null | undefined>(undefined);

async function ask(): Promise<void> {
  facts.value = (await jsonFrom<SeriesFacts>('api/series').catch(() => undefined)) ?? null;
}

/** The definitions of the app's series. Their counters live in the transactions of the app. */
export function SeriesTable() {
  useEffect(() => void ask(), []);
  const series = facts.value?.series;
  return (
    <section class="panel">
      <h2>{t('series.title')}</h2>
      {facts.value === null && <p class="problem">{t('series.unread')}</p>}
      {series?.length === 0 && <p>{t('series.none')}</p>}
      {series !== undefined && series.length > 0 && (
        <div class="scroller" tabIndex={0} role="region" aria-label={t('series.title')}>
          <table>
            <thead>
              <tr>
                <th scope="col">{t('series.name')}</th>
                <th scope="col">{t('generate.format')}</th>
                <th scope="col">{t('series.resets')}</th>
                <th scope="col">{t('series.zone')}</th>
              </tr>
            </thead>
            <tbody>
              {series.map(({ name, format, resets, zone }) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  <td class="mono">{format}</td>
                  <td>{resetsText(resets)}</td>
                  <td>{zone ?? '–'}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <p class="note">{t('series.note')}</p>
    </section>
  );
}

function resetsText(resets: string): string {
  const key = RESETS[resets];
  return key ? t(key) : resets;
}
