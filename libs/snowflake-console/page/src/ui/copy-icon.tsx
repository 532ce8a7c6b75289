import { t } from '../messages/messages.js';
import { CopyButton } from './copy-button.js';

/** Copies a short text. It shows as an icon, and is named by what it copies. */
export function CopyIcon({ text, what, isSkipped }: { text: string; what: string; isSkipped?: boolean }) {
  return <CopyButton text={() => text} label={t('copy.what', { what })} isIcon isSkipped={isSkipped} />;
}
