import type { RegistryWatch } from '../../../../src/api/console-api.js';
import { durationText } from '../../messages/durations.js';
import { t } from '../../messages/messages.js';
import { type Capacity, capacityOf } from '../../workers/capacity.js';
import { podsToStart } from '../workers-state.js';

/** How many worker IDs are held, and whether so many more processes can start. */
export function CapacityPanel({ registry }: { registry: RegistryWatch }) {
  const { waiting, longestWaitSeconds } = registry;
  const capacity = capacityOf(registry);
  const { held, offline, reserved, room, total } = capacity;
  return (
    <section class="panel capacity" aria-label={t('capacity.title')}>
      <p class="sentence">
        {t('capacity.held', { count: held })}
        {offline > 0 && ` · ${t('capacity.offline', { count: offline })}`}
        {reserved > 0 && ` · ${t('capacity.reserved', { count: reserved })}`}
        {` · ${t('capacity.room', { count: room, of: total })}`}
        {waiting !== undefined && ` · ${t('capacity.waiting', { count: waiting })}`}
        {longestWaitSeconds !== undefined &&
          t('capacity.longestWait', { duration: durationText(longestWaitSeconds * 1000) })}
      </p>
      <svg class="share" aria-hidden="true">
        <rect width={`${total === 0 ? 0 : (held / total) * 100}%`} height="100%" />
      </svg>
      <div class="bar">
        <label>
          {t('capacity.start')}{' '}
          <input
            type="number"
            min={1}
            value={Number.isNaN(podsToStart.value) ? '' : podsToStart.value}
            placeholder="20"
            onInput={(event) => (podsToStart.value = event.currentTarget.valueAsNumber)}
          />
        </label>
        <p class="grow" role="status">
          <Verdict capacity={capacity} />
        </p>
      </div>
    </section>
  );
}

/** During a deploy, the processes that end still hold theirs, so the new ones need room besides. */
function Verdict({ capacity: { room } }: { capacity: Capacity }) {
  const wanted = podsToStart.value;
  if (!(wanted >= 1)) return <span class="muted">{t('capacity.note')}</span>;
  return wanted <= room ? (
    <>
      <strong class="good">{t('capacity.fits')}</strong> {t('capacity.left', { count: room - wanted })}
    </>
  ) : (
    <>
      <strong class="bad">{t('capacity.tooMany')}</strong> {t('capacity.missing', { count: wanted - room })}
    </>
  );
}
