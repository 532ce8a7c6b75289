import { computed, signal } from '@preact/signals';
import type { AppFacts } from '../../../src/api/console-api.js';
import { type IdsOutcome, requestIds } from '../generate/request-ids.js';
import { textOf } from '../ids/texts-of-id.js';
import type { MessageKey } from '../messages/languages.js';
import { t } from '../messages/messages.js';
import { addressOf } from '../state/route.js';
import { appLayouts, DEFAULT_FORM, formOf } from '../state/settings.js';
import { layoutParameters } from '../state/layout-parameters.js';
import { FormatSelect } from '../ui/format-select.js';
import { IdLines } from '../ui/id-lines.js';
import { isWithin, NumberInput } from '../ui/number-input.js';
import { showIds } from './decode/decode-state.js';
import { appCount, appFormat, chosenMaker } from './generate-state.js';

type Refusal = Exclude<IdsOutcome, { kind: 'ids' }>;

const isAsking = signal(false);
/** The IDs that were made last. They are real, so they stay until others are made. */
const made = signal<{ readonly maker: string; readonly ids: readonly string[] } | undefined>(undefined);
const refusal = signal<Refusal | undefined>(undefined);

/** The messages of refusals with a specific remedy. */
const REFUSALS: Readonly<Record<number, MessageKey>> = {
  400: 'refused.400',
  401: 'refused.401',
  403: 'refused.403',
  404: 'refused.404',
  429: 'refused.429',
  503: 'refused.503',
};

const lines = computed(() => {
  const { maker, ids = [] } = made.value ?? {};
  const layout = appLayouts.value.find(({ name }) => name === maker)?.layout;
  return ids.map((id) => (layout && textOf(id, appFormat.value, layout)) ?? id);
});

async function generate(maker: string): Promise<void> {
  isAsking.value = true;
  const outcome = await requestIds({ maker, count: appCount.value });
  if (outcome.kind === 'ids') made.value = { maker, ids: outcome.ids };
  refusal.value = outcome.kind === 'ids' ? undefined : outcome;
  isAsking.value = false;
}

/** Generates real IDs with the ID makers of the app. */
export function AppGenerator({ facts: { kind, makers, generate: allowed } }: { facts: AppFacts }) {
  const maker = makers.find(({ name }) => name === chosenMaker.value) ?? makers[0];
  if (!maker) return null;
  return (
    <section class="panel" aria-labelledby="app-generator-title">
      <h2 id="app-generator-title">{t(kind === 'app' ? 'generate.app' : 'generate.anApp')}</h2>
      {allowed ? (
        <>
          <p class="note">{t('generate.appNote')}</p>
          <form
            class="form"
            noValidate
            onSubmit={(event) => {
              event.preventDefault();
              if (isWithin(appCount.value, { least: 1, most: allowed.maxCount })) void generate(maker.name);
              else event.currentTarget.querySelector<HTMLElement>('[aria-invalid]')?.focus();
            }}
          >
            <label>
              {t('workers.maker')}
              <select
                value={maker.name}
                onChange={(event) => (chosenMaker.value = event.currentTarget.value)}
              >
                {makers.map(({ name }) => (
                  <option key={name}>{name}</option>
                ))}
              </select>
            </label>
            <NumberInput label={t('generate.count')} value={appCount} least={1} most={allowed.maxCount} />
            <FormatSelect value={appFormat} />
            <button type="submit" class="button is-main" disabled={isAsking.value}>
              {t('generate.make')}
            </button>
          </form>
          <Answer />
        </>
      ) : (
        <p class="note">{t(kind === 'app' ? 'refused.403' : 'generate.namespaceNote')}</p>
      )}
    </section>
  );
}

function Answer() {
  return (
    <>
      {refusal.value && (
        <p class="problem" role="alert">
          {wordsOf(refusal.value)}
        </p>
      )}
      {made.value && <MadeIds {...made.value} />}
    </>
  );
}

function MadeIds({ maker, ids }: { maker: string; ids: readonly string[] }) {
  const decode = (): void => {
    showIds(ids);
    location.hash = addressOf('decode', layoutParameters(formOf(`app:${maker}`, DEFAULT_FORM)));
  };
  return (
    <>
      <IdLines lines={lines.value} label={t('generate.resultLabel')} />
      <p class="note">
        <button type="button" class="button is-small" onClick={decode}>
          {t('generate.decode')}
        </button>
      </p>
    </>
  );
}

function wordsOf(outcome: Refusal): string {
  if (outcome.kind === 'unanswered') return t('refused.unanswered');
  const { status, code, message, retryAfter } = outcome;
  if (status === 429 && retryAfter === undefined) return t('refused.429soon');
  const key = REFUSALS[status] ?? 'refused.status';
  return t(key, { status: String(status), code: code || '–', message, seconds: retryAfter ?? 0 }).trim();
}
