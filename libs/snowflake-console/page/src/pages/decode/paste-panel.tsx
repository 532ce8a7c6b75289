import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { MOST_IDS } from '../../ids/found-ids.js';
import { t } from '../../messages/messages.js';
import { CopyButton } from '../../ui/copy-button.js';
import { LayoutChip, UnknownLayout } from '../../ui/layout-picker.js';
import {
  clear,
  decoded,
  decodeLink,
  editText,
  isAdding,
  isLong,
  linkProblem,
  pasted,
  removePasted,
  showAll,
  takePasted,
  text,
  typed,
} from './decode-state.js';

const EXAMPLE = '382475217496248322';
const MOST_ROWS = 8;

type AreaRef = RefObject<HTMLTextAreaElement | null>;

/** Takes text with IDs in it. */
export function PastePanel() {
  const area: AreaRef = useRef<HTMLTextAreaElement | null>(null);
  useEffect(() => {
    // A phone would open its keyboard over the page.
    if (text.value === '' && matchMedia('(pointer: fine)').matches) area.current?.focus();
  }, []);
  return (
    <section class="panel paste">
      <div class="paste-line">
        <label class="grow">
          <span class="for-readers">{t('decode.paste')}</span>
          <Area area={area} />
        </label>
        <LayoutChip />
      </div>
      <PastedTexts />
      <div class="bar">
        {typed.value === '' && pasted.value.length === 0 ? <Example /> : null}
        <p class="grow" role="status">
          {summary()}
        </p>
        {typed.value !== '' || pasted.value.length > 0 ? <TextButtons area={area} /> : null}
      </div>
      {isNothingFound() && <p class="note">{t('decode.forms')}</p>}
      <UnknownLayout />
      {linkProblem.value && (
        <p class="problem" role="alert">
          {t(linkProblem.value)}
        </p>
      )}
    </section>
  );
}

function Area({ area }: { area: AreaRef }) {
  return (
    <textarea
      ref={area}
      rows={rowsOf(typed.value)}
      spellcheck={false}
      value={typed.value}
      placeholder={t(isAdding.value ? 'decode.pasteMore' : 'decode.empty')}
      onPaste={(event) => {
        const long = event.clipboardData?.getData('text/plain') ?? '';
        if (isLong(long)) {
          event.preventDefault();
          takePasted(long);
        } else if (!isAdding.value) {
          // The browser then replaces the text, and can undo that.
          event.currentTarget.select();
          pasted.value = [];
        }
      }}
      onInput={(event) => {
        const { currentTarget, inputType } = event;
        const { value } = currentTarget;
        // The text goes at once, before the browser lays out all of its lines.
        if (isLong(value)) currentTarget.value = '';
        editText(value);
        // The filter was for other IDs.
        if (inputType === 'insertFromPaste') showAll();
      }}
    />
  );
}

function Example() {
  return (
    <button type="button" class="button is-small" onClick={() => editText(EXAMPLE)}>
      {t('decode.example')} <span class="mono">{EXAMPLE}</span>
    </button>
  );
}

function TextButtons({ area }: { area: AreaRef }) {
  return (
    <>
      <button
        type="button"
        class="button is-small"
        aria-pressed={isAdding.value}
        onClick={() => addTo(area.current)}
      >
        {t('decode.add')}
      </button>
      <CopyButton text={decodeLink} label={t('decode.link')} missing={t('decode.noLink')} />
      <button
        type="button"
        class="button is-small"
        onClick={() => {
          clear();
          area.current?.focus();
        }}
      >
        {t('decode.clear')}
      </button>
    </>
  );
}

/** Lets the next paste go below the text, in a line of its own. */
function addTo(area: HTMLTextAreaElement | null): void {
  isAdding.value = !isAdding.value;
  if (!area || !isAdding.value) return;
  if (typed.value !== '' && !typed.value.endsWith('\n')) typed.value = `${typed.value}\n`;
  area.value = typed.value;
  area.focus();
  area.setSelectionRange(area.value.length, area.value.length);
}

/** The lines of the text, as far as the box grows. */
function rowsOf(whole: string): number {
  let rows = 1;
  for (const character of whole) {
    if (character === '\n') rows++;
    if (rows === MOST_ROWS) break;
  }
  return rows;
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
  if (text.value.trim() === '') return '';
  const { found, readings } = decoded.value;
  const { ids, lines, isCut, foreign } = found;
  if (isCut) return t('decode.cut', { count: MOST_IDS });
  return [
    t('decode.found', { count: readings.length, lines }),
    ...(ids.length > readings.length ? [t('decode.repeats', { count: ids.length - readings.length })] : []),
    ...(foreign.card > 0 ? [t('decode.cards', { count: foreign.card })] : []),
    ...(foreign.time > 0 ? [t('decode.times', { count: foreign.time })] : []),
  ].join(' ');
}
