import { t } from '../messages/messages.js';

/** Goes below a table that shows its first rows only: a button for more, and for paper the number of those that are on it. */
export function MoreRows({ shown, of, onMore }: { shown: number; of: number; onMore: () => void }) {
  if (of <= shown) return null;
  return (
    <>
      <button type="button" class="button" onClick={onMore}>
        {t('table.more', { count: of - shown })}
      </button>
      <p class="only-printed">{t('table.printed', { count: shown, of })}</p>
    </>
  );
}
