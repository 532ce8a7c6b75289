import type { BitLayout } from 'nestjs-snowflake/core';
import { isInRange } from '../../ids/found-ids.js';
import type { Reading, ReadingFields } from '../../ids/reading.js';
import { bitsOf, textsOf } from '../../ids/texts-of-id.js';
import { findMaker } from '../../live/makers-of-ids.js';
import { numberText, t } from '../../messages/messages.js';
import { localTime, relativeTime, utcTime, wallTimeText, zone } from '../../messages/times.js';
import { addressOf } from '../../state/route.js';
import { BitPicture } from '../../ui/bit-picture.js';
import { CopyIcon } from '../../ui/copy-icon.js';
import { Fact, Facts } from '../../ui/facts.js';

/** When and by whom one ID was made, then its fields, and folded its bits and its other forms. */
export function IdDetails({ reading, layout }: { reading: Reading; layout: BitLayout }) {
  const { id, fields, warnings, mayBeRounded } = reading;
  return (
    <div class="details">
      {fields && <When timeMs={fields.timestampMs} />}
      {fields && <ByWhom fields={fields} />}
      {warnings.map((warning) => (
        <p key={warning} class="problem">
          {t(`warning.${warning}`)}
        </p>
      ))}
      <Facts>
        <TextFact title={t('table.id')} text={id} />
        {fields && <TextFact title={t('time.utc')} text={utcTime(fields.timestampMs)} />}
        {fields && <TextFact title={t('time.unix')} text={String(fields.timestampMs)} />}
        {fields && <Fact title={t('field.worker')}>{fields.workerId}</Fact>}
        {fields?.datacenterId !== undefined && layout.maxDatacenterId > 0 && (
          <Fact title={t('field.datacenter')}>{fields.datacenterId}</Fact>
        )}
        {fields && <Fact title={t('field.sequence')}>{numberText(fields.sequence)}</Fact>}
      </Facts>
      {mayBeRounded && <p class="note">{t('details.mayBeRounded')}</p>}
      {isInRange(id) && (
        <details class="fold">
          <summary>{t('details.forms')}</summary>
          {fields && <BitPicture id={id} layout={layout} />}
          <Facts>
            {textsOf(id, layout).map(({ codec, text }) => (
              <TextFact key={codec} title={codec} text={text} />
            ))}
            <TextFact title={t('text.binary')} text={bitsOf(id)} isLong />
          </Facts>
        </details>
      )}
    </div>
  );
}

function When({ timeMs }: { timeMs: number }) {
  return (
    <p class="answer" id="details-title">
      <strong>{wallTimeText(timeMs)}</strong> <CopyIcon text={utcTime(timeMs)} what={t('time.utc')} />
      <span class="answer-more">
        {relativeTime(timeMs, Date.now())} · {zone}
      </span>
    </p>
  );
}

/** Names the process that generated the ID, if the registry proves it. */
function ByWhom({ fields }: { fields: ReadingFields }) {
  const { workerId, timestampMs } = fields;
  const made = findMaker.value?.(fields);
  const worker = String(workerId);
  if (!made) return null;
  const { origin, row } = made;
  const from = row?.windowFromMs === undefined ? '' : localTime(row.windowFromMs);
  const values = { worker, holder: row?.holder ?? '–', from, time: localTime(timestampMs) };
  return (
    <div class={`origin is-${origin}`}>
      <p>
        <strong>{t('worker.title', { id: worker })}</strong>{' '}
        {origin === 'holder' && <code>{row?.holder ?? '–'}</code>} {t(`origin.${origin}`)}{' '}
        {row && (
          <a href={addressOf('workers', { worker })} class="button is-small">
            {t('origin.open')}
          </a>
        )}
      </p>
      <p class="note">
        {origin === 'former'
          ? t(row?.holder === undefined ? 'origin.formerReleased' : 'origin.formerNote', values)
          : t(`origin.${origin}Note`, values)}
      </p>
    </div>
  );
}

function TextFact({ title, text, isLong }: { title: string; text: string; isLong?: boolean }) {
  return (
    <Fact title={title} isCode isLong={isLong}>
      <span>{text}</span> <CopyIcon text={text} what={title} />
    </Fact>
  );
}
