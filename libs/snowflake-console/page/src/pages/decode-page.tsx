import { useEffect } from 'preact/hooks';
import { appFacts, appLayoutName } from '../live/app-facts.js';
import { makerOfLayout } from '../live/makers-of-ids.js';
import { glance } from '../live/watching.js';
import { t } from '../messages/messages.js';
import { appLayouts, checkedLayout, chooseLayout, formOf, layoutForm } from '../state/settings.js';
import { LayoutDetails, LayoutNeeded } from '../ui/layout-picker.js';
import { better, decoded } from './decode/decode-state.js';
import { IdDetails } from './decode/id-details.js';
import { ManyIds } from './decode/many-ids.js';
import { PastePanel } from './decode/paste-panel.js';

/** Reads IDs out of any text. */
export function DecodePage() {
  return (
    <>
      <PastePanel />
      {checkedLayout.value.isValid ? <Results /> : <LayoutNeeded />}
      <LayoutDetails />
    </>
  );
}

function Results() {
  const { layout } = checkedLayout.value;
  const { readings } = decoded.value;
  const [first] = readings;
  const isOfApp = makerOfLayout.value !== undefined && appFacts.value !== undefined;
  useEffect(() => (first && isOfApp ? glance() : undefined), [readings, isOfApp]);
  return (
    <>
      <BetterLayout />
      {readings.length === 1 && first && (
        <section class="panel" aria-labelledby="details-title">
          <IdDetails reading={first} layout={layout} />
        </section>
      )}
      {readings.length > 1 && <ManyIds layout={layout} />}
    </>
  );
}

function BetterLayout() {
  if (better.value.length === 0) return null;
  return (
    <p class="panel hint" role="status">
      {t('decode.better')}{' '}
      {better.value.map(({ choice, name }) => (
        <button
          key={choice}
          type="button"
          class="button is-small"
          onClick={() => chooseLayout(formOf(choice, layoutForm.value))}
        >
          {appLayouts.value.some((each) => each.choice === choice) ? appLayoutName(name) : name}
        </button>
      ))}
    </p>
  );
}
