import { CODE_LANGUAGES, type CodeLanguage, decodeCode, formulaOf } from '../layouts/decode-code.js';
import { t } from '../messages/messages.js';
import { checkedLayout } from '../state/settings.js';
import { CopyButton } from '../ui/copy-button.js';
import { LayoutFields, LayoutNeeded } from '../ui/layout-picker.js';
import { decoded } from './decode/decode-state.js';
import { codeLanguage } from './layouts-state.js';

/** Decodes to the time of the library's other examples. */
const EXAMPLE = '382475217496248322';

/** How to decode an ID of the chosen layout without the library: the first one on the page, if it has any. */
export function DecodeCodePanel() {
  const id = decoded.value.readings.find(({ fields }) => fields)?.id ?? EXAMPLE;
  const { layout, isValid } = checkedLayout.value;
  const chosen = codeLanguage.value;
  return (
    <section class="panel" aria-labelledby="code-title">
      <h2 id="code-title">{t('code.title')}</h2>
      <div class="layout-picker is-part">
        <LayoutFields />
      </div>
      {isValid ? (
        <>
          <pre class="mono output" tabIndex={0} aria-label={t('code.formula')}>
            {formulaOf(layout)}
          </pre>
          <div class="bar">
            <label class="grow">
              {t('code.language')}{' '}
              <select
                value={chosen}
                onChange={(event) => (codeLanguage.value = event.currentTarget.value as CodeLanguage)}
              >
                {CODE_LANGUAGES.map((name) => (
                  <option key={name}>{name}</option>
                ))}
              </select>
            </label>
            <CopyButton text={() => decodeCode(layout, chosen, id)} />
          </div>
          <pre class="mono output" tabIndex={0} aria-label={chosen}>
            {decodeCode(layout, chosen, id)}
          </pre>
        </>
      ) : (
        <LayoutNeeded />
      )}
    </section>
  );
}
