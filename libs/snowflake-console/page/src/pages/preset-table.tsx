import { computed } from '@preact/signals';
import { factsOf } from '../layouts/layout-facts.js';
import { appLayoutName } from '../live/app-facts.js';
import { numberText, t } from '../messages/messages.js';
import { dateText } from '../messages/times.js';
import { knownLayouts } from '../state/settings.js';
import { WidthBar } from '../ui/width-bar.js';

const rows = computed(() =>
  knownLayouts.value.map(({ name, choice, layout }) => ({ name, choice, facts: factsOf(layout) })),
);

/** The layouts of published generators, side by side. */
export function PresetTable() {
  return (
    <section class="panel">
      <h2>{t('presets.title')}</h2>
      <div class="scroller" tabIndex={0} role="region" aria-label={t('presets.title')}>
        <table>
          <thead>
            <tr>
              <th scope="col">{t('layout.choice')}</th>
              <th scope="col">{t('presets.bits')}</th>
              <th scope="col">{t('layout.tickMs')}</th>
              <th scope="col">{t('presets.epoch')}</th>
              <th scope="col">{t('presets.end')}</th>
              <th scope="col">{t('presets.workers')}</th>
              <th scope="col">{t('presets.rate')}</th>
              <th scope="col">{t('presets.rounds')}</th>
            </tr>
          </thead>
          <tbody>
            {rows.value.map(({ name, choice, facts }) => (
              <tr key={choice} class={facts.expiresMs < Date.now() ? 'is-over' : ''}>
                <th scope="row">{choice.startsWith('app:') ? appLayoutName(name) : name}</th>
                <td class="bar-cell">
                  <WidthBar widths={facts.widths} />
                </td>
                <td class="number">{numberText(facts.tickMs)}</td>
                <td>{dateText(facts.epochMs)}</td>
                <td>{dateText(facts.expiresMs)}</td>
                <td class="number">{numberText(facts.workerIds)}</td>
                <td class="number">{numberText(facts.idsPerSecondPerWorker)}</td>
                <td>
                  {facts.roundsFromMs === undefined ? t('presets.never') : dateText(facts.roundsFromMs)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
