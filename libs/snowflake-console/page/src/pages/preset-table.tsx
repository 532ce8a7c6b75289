import { computed } from '@preact/signals';
import { missesOf, type Needs } from '../layouts/fit.js';
import { factsOf, type LayoutFacts } from '../layouts/layout-facts.js';
import { appLayoutName } from '../live/app-facts.js';
import { numberText, t } from '../messages/messages.js';
import { dateText } from '../messages/times.js';
import { knownLayouts } from '../state/settings.js';
import { WidthBar } from '../ui/width-bar.js';

const rows = computed(() =>
  knownLayouts.value.map(({ name, choice, layout }) => ({ name, choice, facts: factsOf(layout) })),
);

/** The layouts of published generators, side by side, and whether they fit. */
export function PresetTable({ needs }: { needs: Needs | undefined }) {
  return (
    <section class="panel">
      <h2>{t('presets.title')}</h2>
      <div class="scroller" tabIndex={0} role="region" aria-label={t('presets.title')}>
        <table>
          <thead>
            <tr>
              <th scope="col">{t('layout.choice')}</th>
              {needs && <th scope="col">{t('presets.fits')}</th>}
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
                {needs && <FitCell facts={facts} needs={needs} />}
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

function FitCell({ facts, needs }: { facts: LayoutFacts; needs: Needs }) {
  const misses = missesOf(facts, needs);
  return misses.length === 0 ? (
    <td class="good">✓ {t('presets.fit')}</td>
  ) : (
    <td class="bad">✗ {misses.map((miss) => t(`layouts.miss.${miss}`)).join(', ')}</td>
  );
}
