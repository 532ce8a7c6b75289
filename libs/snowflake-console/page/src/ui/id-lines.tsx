import { t } from '../messages/messages.js';
import { CopyButton } from './copy-button.js';
import { download } from './download.js';

/** Generated IDs, one per line, to copy and to download. */
export function IdLines({ lines, label }: { lines: readonly string[]; label: string }) {
  return (
    <>
      <div class="bar">
        <p class="grow" role="status">
          {t('generate.result', { count: lines.length })}
        </p>
        <CopyButton text={() => lines.join('\n')} />
        <button
          type="button"
          class="button is-small"
          onClick={() => download('ids.txt', 'text/plain', `${lines.join('\n')}\n`)}
        >
          {t('generate.download')}
        </button>
      </div>
      <pre class="mono output" tabIndex={0} aria-label={label}>
        {lines.join('\n')}
      </pre>
    </>
  );
}
