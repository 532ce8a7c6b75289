import type { BitLayout } from 'nestjs-snowflake/core';
import { isInRange } from '../../ids/found-ids.js';
import type { Reading } from '../../ids/reading.js';
import { bitsOf, textsOf } from '../../ids/texts-of-id.js';
import { t } from '../../messages/messages.js';
import { localTime, relativeTime, utcTime, zone } from '../../messages/times.js';
import { BitPicture } from '../../ui/bit-picture.js';
import { CopyButton } from '../../ui/copy-button.js';
import { Fact, Facts } from '../../ui/facts.js';
import { decoded, selected, showAll, shown } from './decode-state.js';
import { focusRow } from './readings-table.js';

/** Moves the focus to the details once they show the chosen ID, so that they are visible and read aloud. */
export function focusDetails(): void {
  requestAnimationFrame(() => document.getElementById('details-title')?.focus());
}

/** All fields of one ID. */
export function IdDetails({ reading, layout }: { reading: Reading; layout: BitLayout }) {
  const { id, position, fields, warnings } = reading;
  return (
    <section class="panel details" aria-labelledby="details-title">
      <div class="bar is-first">
        <h2 id="details-title" class="mono id-title grow" tabIndex={-1}>
          {id}
        </h2>
        {selected.value === position &&
          shown.value.includes(reading) &&
          decoded.value.readings.length > 1 && (
            <button type="button" class="button is-small" onClick={() => focusRow(position)}>
              {t('details.toRow')}
            </button>
          )}
      </div>
      {!shown.value.includes(reading) && (
        <div class="bar hidden-row" role="status">
          <p>{t('details.hidden')}</p>
          <button type="button" class="button is-small" onClick={showAll}>
            {t('table.showAll')}
          </button>
        </div>
      )}
      {warnings.map((warning) => (
        <p key={warning} class="problem">
          {t(`warning.${warning}`)}
        </p>
      ))}
      {fields && <BitPicture id={id} layout={layout} />}
      {fields && (
        <Facts>
          <Fact title={t('time.local', { zone })}>{localTime(fields.timestampMs)}</Fact>
          <Fact title={t('time.utc')}>{utcTime(fields.timestampMs)}</Fact>
          <Fact title={t('time.relative')}>{relativeTime(fields.timestampMs, Date.now())}</Fact>
        </Facts>
      )}
      {isInRange(id) && (
        <Facts>
          {textsOf(id, layout).map(({ codec, text }) => (
            <TextFact key={codec} title={codec} text={text} />
          ))}
          <TextFact title={t('text.binary')} text={bitsOf(id)} isLong />
        </Facts>
      )}
    </section>
  );
}

function TextFact({ title, text, isLong }: { title: string; text: string; isLong?: boolean }) {
  return (
    <Fact title={title} isCode isLong={isLong}>
      <span>{text}</span> <CopyButton text={() => text} />
    </Fact>
  );
}
