import { appLayoutName } from '../live/app-facts.js';
import { t } from '../messages/messages.js';
import { appLayouts, checkedLayout, chooseLayout, formOf, layoutForm } from '../state/settings.js';
import { LayoutNeeded, LayoutPicker } from '../ui/layout-picker.js';
import { better, current, decoded } from './decode/decode-state.js';
import { IdDetails } from './decode/id-details.js';
import { ManyIds } from './decode/many-ids.js';
import { PastePanel } from './decode/paste-panel.js';

/** Reads IDs out of any text. */
export function DecodePage() {
  return (
    <>
      <PastePanel />
      <LayoutPicker />
      {checkedLayout.value.isValid ? <Results /> : <LayoutNeeded />}
    </>
  );
}

function Results() {
  const { layout } = checkedLayout.value;
  return (
    <>
      <BetterLayout />
      {current.value && <IdDetails reading={current.value} layout={layout} />}
      {decoded.value.readings.length > 1 && <ManyIds />}
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
