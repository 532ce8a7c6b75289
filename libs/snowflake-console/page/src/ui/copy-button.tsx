import { useEffect, useRef, useState } from 'preact/hooks';
import { t } from '../messages/messages.js';
import { copyText } from './copied-text.js';

const SHOWN_FOR_MS = 1500;

type Outcome =
  | { readonly kind: 'copied' }
  /** There is no text to copy. */
  | { readonly kind: 'missing' }
  /** The browser refused, so the viewer has to copy the text. */
  | { readonly kind: 'shown'; readonly text: string };

/** Copies a text and confirms it for a moment. If the browser refuses, selects the text, so that it can be copied by hand. */
export function CopyButton({
  text,
  label,
  missing,
  isIcon,
  isSkipped,
}: {
  text: () => string | undefined | Promise<string | undefined>;
  label?: string;
  /** The message if there is no text. */
  missing?: string;
  /** Shows an icon, whose name is the label. */
  isIcon?: boolean;
  /** Leaves it out of the tab order, for a table whose rows have their copies in the details. */
  isSkipped?: boolean;
}) {
  const [outcome, setOutcome] = useState<Outcome | undefined>();
  useEffect(() => {
    if (!outcome || outcome.kind === 'shown') return;
    const timer = setTimeout(() => setOutcome(undefined), SHOWN_FOR_MS);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = async (): Promise<void> => {
    const wanted = await text();
    if (wanted === undefined) setOutcome({ kind: 'missing' });
    else setOutcome((await copyText(wanted)) ? { kind: 'copied' } : { kind: 'shown', text: wanted });
  };
  const usual = label ?? t('copy.copy');
  const said = { copied: t('copy.copied'), missing: missing ?? usual, shown: usual };
  return (
    <>
      <button
        type="button"
        class={isIcon ? `copy-icon ${outcome?.kind === 'copied' ? 'is-copied' : ''}` : 'button is-small'}
        title={isIcon ? usual : undefined}
        tabIndex={isSkipped ? -1 : undefined}
        onClick={() => void copy()}
      >
        {isIcon && <Icon isDone={outcome?.kind === 'copied'} />}
        <span aria-live="polite" class={isIcon ? 'for-readers' : undefined}>
          {outcome ? said[outcome.kind] : usual}
        </span>
      </button>
      {outcome?.kind === 'shown' && <ByHand text={outcome.text} onDone={() => setOutcome(undefined)} />}
    </>
  );
}

function Icon({ isDone }: { isDone: boolean }) {
  return (
    <svg viewBox="0 0 16 16" aria-hidden="true">
      <path d={isDone ? 'M3 8.5 6.5 12 13 4.5' : 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3'} />
    </svg>
  );
}

function ByHand({ text, onDone }: { text: string; onDone: () => void }) {
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    area.current?.focus();
    area.current?.select();
  }, [text]);
  return (
    <span class="by-hand">
      <span role="alert">{t('copy.byHand')}</span>
      <textarea
        ref={area}
        class="mono"
        rows={2}
        readOnly
        aria-label={t('copy.byHand')}
        value={text}
        onBlur={() => document.hasFocus() && onDone()}
      />
    </span>
  );
}
