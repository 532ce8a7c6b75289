import { useEffect, useState } from 'preact/hooks';
import { t } from '../messages/messages.js';

const SHOWN_FOR_MS = 1500;

/** Copies a text and says so for a moment. Selects nothing if the browser forbids it: then the text can still be read. */
export function CopyButton({ text, label }: { text: () => string | Promise<string>; label?: string }) {
  const [outcome, setOutcome] = useState<'copied' | 'refused' | undefined>();
  useEffect(() => {
    if (!outcome) return;
    const timer = setTimeout(() => setOutcome(undefined), SHOWN_FOR_MS);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(await text());
      setOutcome('copied');
    } catch {
      setOutcome('refused');
    }
  };
  const words = outcome ? t(`copy.${outcome}`) : (label ?? t('copy.copy'));
  return (
    <button type="button" class="button is-small" onClick={() => void copy()}>
      <span aria-live="polite">{words}</span>
    </button>
  );
}
