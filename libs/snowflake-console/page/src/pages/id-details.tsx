import type { BitLayout } from 'nestjs-snowflake/core';
import { isInRange } from '../ids/found-ids.js';
import type { Reading } from '../ids/reading.js';
import { textsOf } from '../ids/texts-of-id.js';
import { t } from '../messages/messages.js';
import { localTime, relativeTime, utcTime, zone } from '../messages/times.js';
import { BitPicture } from '../ui/bit-picture.js';
import { CopyButton } from '../ui/copy-button.js';

/** Everything that one ID says. */
export function IdDetails({ reading, layout }: { reading: Reading; layout: BitLayout }) {
  const { id, fields, warnings } = reading;
  return (
    <section class="panel details" aria-labelledby="details-title">
      <h2 id="details-title" class="mono id-title">
        {id}
      </h2>
      {warnings.map((warning) => (
        <p key={warning} class="problem">
          {t(`warning.${warning}`)}
        </p>
      ))}
      {fields && <BitPicture id={id} layout={layout} />}
      {fields && (
        <dl class="facts">
          <Fact title={t('time.local', { zone })} text={localTime(fields.timestampMs)} />
          <Fact title={t('time.utc')} text={utcTime(fields.timestampMs)} />
          <Fact title={t('time.relative')} text={relativeTime(fields.timestampMs, Date.now())} />
        </dl>
      )}
      {isInRange(id) && (
        <dl class="facts codecs">
          {textsOf(id, layout).map(({ codec, text }) => (
            <Fact key={codec} title={codec} text={text} isCode />
          ))}
        </dl>
      )}
    </section>
  );
}

function Fact({ title, text, isCode }: { title: string; text: string; isCode?: boolean }) {
  return (
    <div class="fact">
      <dt>{title}</dt>
      <dd class={isCode ? 'mono' : ''}>
        <span>{text}</span>
        {isCode && <CopyButton text={() => text} />}
      </dd>
    </div>
  );
}
