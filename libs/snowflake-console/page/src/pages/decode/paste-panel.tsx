import { MOST_IDS } from '../../ids/found-ids.js';
import { t } from '../../messages/messages.js';
import { CopyButton } from '../../ui/copy-button.js';
import {
  addPasted,
  clear,
  decoded,
  decodeLink,
  editText,
  isLong,
  linkProblem,
  pasted,
  removePasted,
  showAll,
  text,
  typed,
} from './decode-state.js';

/** Takes text with IDs in it. */
export function PastePanel() {
  return (
    <section class="panel">
      <label class="stacked">
        <span class="field-title">{t('decode.paste')}</span>
        <textarea
          rows={5}
          spellcheck={false}
          value={typed.value}
          placeholder="382475217496248322"
          onPaste={(event) => {
            const long = event.clipboardData?.getData('text/plain') ?? '';
            if (!isLong(long)) return;
            event.preventDefault();
            addPasted(long);
          }}
          onInput={(event) => {
            const area = event.currentTarget;
            const { value } = area;
            // At once, before the browser lays out all lines.
            if (isLong(value)) area.value = '';
            editText(value);
            // The filter was for other IDs.
            if (event.inputType === 'insertFromPaste') showAll();
          }}
        />
      </label>
      <PastedTexts />
      <div class="bar">
        <p class="grow" role="status">
          {summary()}
        </p>
        <CopyButton text={decodeLink} label={t('decode.link')} missing={t('decode.noLink')} />
        <button type="button" class="button is-small" onClick={clear}>
          {t('decode.clear')}
        </button>
      </div>
      {isNothingFound() && <p class="note">{t('decode.forms')}</p>}
      {linkProblem.value && (
        <p class="problem" role="alert">
          {t(linkProblem.value)}
        </p>
      )}
    </section>
  );
}

/** Whether the text that was read holds no ID. */
function isNothingFound(): boolean {
  return text.value.trim() !== '' && decoded.value.found.lines > 0 && decoded.value.found.ids.length === 0;
}

function PastedTexts() {
  if (pasted.value.length === 0) return null;
  return (
    <ul class="pasted" aria-label={t('decode.pasted')}>
      {pasted.value.map((long, index) => (
        <li key={index}>
          <span class="mono start-of-text">{long.slice(0, 80)}</span>
          <span>{t('decode.pastedLong', { count: long.length })}</span>
          <button type="button" class="button is-small" onClick={() => removePasted(index)}>
            {t('decode.remove')}
          </button>
        </li>
      ))}
    </ul>
  );
}

function summary(): string {
  const { ids, lines, isCut } = decoded.value.found;
  if (text.value.trim() === '') return t('decode.empty');
  if (isCut) return t('decode.cut', { count: MOST_IDS });
  return t('decode.found', { count: ids.length, lines });
}
