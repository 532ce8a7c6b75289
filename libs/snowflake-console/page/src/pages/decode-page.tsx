import { computed, effect, signal } from '@preact/signals';
import { type Arrangement, arranged, AS_PASTED } from '../ids/arranged.js';
import { csvOf, jsonOf } from '../ids/exported.js';
import { betterFitting } from '../ids/fitting-layouts.js';
import { foundIdsIn, MOST_IDS } from '../ids/found-ids.js';
import { type Reading, readingsOf } from '../ids/reading.js';
import { numberText, t } from '../messages/messages.js';
import { compressed, expanded } from '../state/compressed.js';
import { layoutParameters } from '../state/layout-parameters.js';
import { addressOf, type Route } from '../state/route.js';
import { checkedLayout, formOf, layout, layoutForm } from '../state/settings.js';
import { CopyButton } from '../ui/copy-button.js';
import { download } from '../ui/download.js';
import { LayoutPicker } from '../ui/layout-picker.js';
import { IdDetails } from './id-details.js';
import { ReadingCharts } from './reading-charts.js';
import { ReadingsTable } from './readings-table.js';

/** Typing stays smooth: the text is read once the keys rest. */
const REST_MS = 120;
const MOST_LINK_BYTES = 4_000_000;

const typed = signal('');
const text = signal('');
const arrangement = signal<Arrangement>(AS_PASTED);
const selected = signal<number | undefined>(undefined);

effect(() => {
  const latest = typed.value;
  const timer = setTimeout(() => {
    text.value = latest;
    selected.value = undefined;
  }, REST_MS);
  return () => clearTimeout(timer);
});

const found = computed(() => foundIdsIn(text.value));
const readings = computed(() => readingsOf(found.value.ids, layout.value, Date.now()));
const shown = computed(() => arranged(readings.value, arrangement.value));
const current = computed(() => readings.value[(selected.value ?? 1) - 1]);
const better = computed(() => betterFitting(found.value.ids, layout.value, Date.now()));

/** Shows what the address holds. A link that can't be read shows nothing. */
export async function openDecodeLink({ parameters }: Route): Promise<void> {
  const packed = parameters.get('z');
  const plain = parameters.get('text');
  if (packed !== null) typed.value = await expanded(packed, MOST_LINK_BYTES).catch(() => '');
  else if (plain !== null) typed.value = plain;
}

async function link(): Promise<string> {
  const parameters = { ...layoutParameters(layoutForm.value), z: await compressed(typed.value) };
  return new URL(addressOf('decode', parameters), location.href).href;
}

export function DecodePage() {
  return (
    <>
      <section class="panel">
        <label class="stacked">
          <span class="field-title">{t('decode.paste')}</span>
          <textarea
            rows={5}
            spellcheck={false}
            value={typed.value}
            placeholder="382475217496248322"
            onInput={(event) => {
              typed.value = event.currentTarget.value;
            }}
          />
        </label>
        <div class="bar">
          <p class="grow" role="status">
            {summary()}
          </p>
          <CopyButton text={link} label={t('decode.link')} />
          <button type="button" class="button is-small" onClick={() => (typed.value = '')}>
            {t('decode.clear')}
          </button>
        </div>
      </section>
      <LayoutPicker />
      <BetterLayout />
      {current.value && <IdDetails reading={current.value} layout={checkedLayout.value.layout} />}
      {readings.value.length > 1 && <ManyIds />}
    </>
  );
}

function summary(): string {
  const { ids, lines, isCut } = found.value;
  if (text.value.trim() === '') return t('decode.empty');
  if (isCut) return t('decode.cut', { count: MOST_IDS });
  return t('decode.found', { count: ids.length, lines });
}

function BetterLayout() {
  if (better.value.length === 0) return null;
  return (
    <p class="panel hint" role="status">
      {t('decode.better')}{' '}
      {better.value.map((name) => (
        <button
          key={name}
          type="button"
          class="button is-small"
          onClick={() => (layoutForm.value = formOf(name, layoutForm.value))}
        >
          {name}
        </button>
      ))}
    </p>
  );
}

function ManyIds() {
  const change = (part: Partial<Arrangement>): void => {
    arrangement.value = { ...arrangement.value, ...part };
  };
  const { filter, onlyWarnings } = arrangement.value;
  const warned = readings.value.filter(({ warnings }) => warnings.length > 0).length;
  return (
    <>
      <ReadingCharts
        readings={shown.value}
        onWorker={(workerId) => change({ filter: `worker:${workerId}` })}
      />
      <section class="panel">
        <div class="bar">
          <label>
            {t('table.filter')}{' '}
            <input
              type="search"
              value={filter}
              placeholder="worker:17"
              onInput={(event) => change({ filter: event.currentTarget.value })}
            />
          </label>
          <label class="check">
            <input
              type="checkbox"
              checked={onlyWarnings}
              onChange={(event) => change({ onlyWarnings: event.currentTarget.checked })}
            />{' '}
            {t('table.onlyWarnings', { count: warned })}
          </label>
          <p class="grow" role="status">
            {t('table.shown', { count: shown.value.length, of: readings.value.length })}
          </p>
          <ExportButtons readings={shown.value} />
        </div>
        <ReadingsTable
          readings={shown.value}
          arrangement={arrangement.value}
          selected={current.value?.position}
          onArrange={change}
          onSelect={(position) => (selected.value = position)}
        />
      </section>
    </>
  );
}

function ExportButtons({ readings: exported }: { readings: readonly Reading[] }) {
  return (
    <>
      <button
        type="button"
        class="button is-small"
        onClick={() => download('ids.csv', 'text/csv', csvOf(exported))}
        aria-label={t('export.csv', { count: numberText(exported.length) })}
      >
        CSV
      </button>
      <button
        type="button"
        class="button is-small"
        onClick={() => download('ids.json', 'application/json', jsonOf(exported))}
        aria-label={t('export.json', { count: numberText(exported.length) })}
      >
        JSON
      </button>
    </>
  );
}
