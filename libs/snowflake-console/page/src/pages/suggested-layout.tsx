import { BitLayout, type LayoutSuggestion } from 'nestjs-snowflake/core';
import { factsOf, type LayoutFacts } from '../layouts/layout-facts.js';
import { t } from '../messages/messages.js';
import { dateText } from '../messages/times.js';
import { layoutParameters } from '../state/layout-parameters.js';
import { addressOf } from '../state/route.js';
import type { LayoutForm } from '../state/settings.js';
import { CopyButton } from '../ui/copy-button.js';
import { WidthBar } from '../ui/width-bar.js';

const SIZED = ['timestamp', 'worker', 'sequence'] as const;

/** The capacity of a suggested layout, the reason for its widths, and its options. */
export function SuggestedLayout({ suggestion }: { suggestion: LayoutSuggestion }) {
  const { layout, epoch } = suggestion;
  const facts = factsOf(new BitLayout(layout, epoch));
  const widths = Object.entries(layout).map(([name, width]) => `${name}: ${width}`);
  const options = `epoch: '${epoch}',\nlayout: { ${widths.join(', ')} },`;
  const form: LayoutForm = { choice: 'custom', options: { ...layout, datacenterBits: 0 }, epoch };
  return (
    <section class="panel" aria-label={t('layouts.suggestion')}>
      <WidthBar widths={facts.widths} />
      <Explanation suggestion={suggestion} facts={facts} />
      {facts.roundsFromMs !== undefined && (
        <p class="problem">{t('layouts.rounds', { date: dateText(facts.roundsFromMs) })}</p>
      )}
      <div class="bar">
        <h3 class="grow">{t('layouts.options')}</h3>
        <CopyButton text={() => options} />
        <a class="button is-small" href={addressOf('decode', layoutParameters(form))}>
          {t('layouts.use')}
        </a>
      </div>
      <pre class="mono output" tabIndex={0} aria-label={t('layouts.options')}>
        {options}
      </pre>
    </section>
  );
}

function Explanation({ suggestion, facts }: { suggestion: LayoutSuggestion; facts: LayoutFacts }) {
  const years = Math.floor(suggestion.lifetimeYears);
  return (
    <ul class="explanation">
      <li>{t('layouts.lasts', { count: years, date: dateText(facts.expiresMs) })}</li>
      <li>{t('layouts.workerIds', { count: suggestion.workerIds })}</li>
      <li>{t('layouts.idsPerSecond', { count: suggestion.idsPerSecondPerWorker })}</li>
      <li>
        {t('layouts.spare', { count: suggestion.spareBits })}
        <ul>
          {SIZED.map((field) => (
            <li key={field}>
              {t('layouts.needed', {
                field: t(`field.${field}`),
                count: suggestion.neededBits[field],
                spare: suggestion.spareBitsOf[field],
              })}
            </li>
          ))}
        </ul>
      </li>
      {facts.roundsFromMs === undefined && <li>{t('layouts.safe')}</li>}
    </ul>
  );
}
