import { t } from '../messages/messages.js';
import { appLayouts, checkedLayout, formOf, layoutForm } from '../state/settings.js';
import { LayoutPicker } from '../ui/layout-picker.js';
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
      <BetterLayout />
      {current.value && <IdDetails reading={current.value} layout={checkedLayout.value.layout} />}
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
          onClick={() => (layoutForm.value = formOf(choice, layoutForm.value))}
        >
          {appLayouts.value.some((each) => each.choice === choice) ? t('layout.ofApp', { name }) : name}
        </button>
      ))}
    </p>
  );
}
