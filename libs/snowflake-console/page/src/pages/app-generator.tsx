import { computed, signal } from '@preact/signals';
import type { AppFacts } from '../../../src/console-api.js';
import { type IdsOutcome, requestIds } from '../generate/request-ids.js';
import { type CodecName, textOf } from '../ids/texts-of-id.js';
import type { MessageKey } from '../messages/languages.js';
import { t } from '../messages/messages.js';
import { addressOf } from '../state/route.js';
import { appLayouts, DEFAULT_FORM, formOf } from '../state/settings.js';
import { layoutParameters } from '../state/layout-parameters.js';
import { FormatSelect } from '../ui/format-select.js';
import { IdLines } from '../ui/id-lines.js';
import { NumberInput } from '../ui/number-input.js';

const chosenMaker = signal<string | undefined>(undefined);
const count = signal(10);
const format = signal<CodecName>('decimal');
const isAsking = signal(false);
const answer = signal<{ readonly maker: string; readonly outcome: IdsOutcome } | undefined>(undefined);

/** The words for refusals that have a remedy of their own. */
const REFUSALS: Readonly<Record<number, MessageKey>> = {
  400: 'refused.400',
  401: 'refused.401',
  403: 'refused.403',
  404: 'refused.404',
  429: 'refused.429',
  503: 'refused.503',
};

const lines = computed(() => {
  const { outcome, maker } = answer.value ?? {};
  if (outcome?.kind !== 'ids') return [];
  const layout = appLayouts.value.find(({ name }) => name === maker)?.layout;
  return outcome.ids.map((id) => (layout && textOf(id, format.value, layout)) ?? id);
});

async function generate(maker: string): Promise<void> {
  isAsking.value = true;
  answer.value = { maker, outcome: await requestIds({ maker, count: count.value }) };
  isAsking.value = false;
}

/** Makes real IDs with the ID makers of the app. */
export function AppGenerator({ facts: { makers, generate: allowed } }: { facts: AppFacts }) {
  const maker = makers.find(({ name }) => name === chosenMaker.value) ?? makers[0];
  if (!maker) return null;
  return (
    <section class="panel" aria-labelledby="app-generator-title">
      <h2 id="app-generator-title">{t('generate.app')}</h2>
      {allowed ? (
        <>
          <p class="note">{t('generate.appNote')}</p>
          <form
            class="form"
            onSubmit={(event) => {
              event.preventDefault();
              void generate(maker.name);
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
            <NumberInput label={t('generate.count')} value={count} least={1} most={allowed.maxCount} />
            <FormatSelect value={format} />
            <button type="submit" class="button is-main" disabled={isAsking.value}>
              {t('generate.make')}
            </button>
          </form>
          <Answer />
        </>
      ) : (
        <p class="note">{t('refused.403')}</p>
      )}
    </section>
  );
}

function Answer() {
  const { outcome, maker } = answer.value ?? {};
  if (!outcome) return null;
  if (outcome.kind !== 'ids') {
    return (
      <p class="problem" role="alert">
        {wordsOf(outcome)}
      </p>
    );
  }
  const layout = layoutParameters(formOf(`app:${maker}`, DEFAULT_FORM));
  return (
    <>
      <IdLines lines={lines.value} label={t('generate.resultLabel')} />
      <p class="note">
        <a href={addressOf('decode', { ...layout, text: outcome.ids.slice(0, 100).join('\n') })}>
          {t('generate.decode')}
        </a>
      </p>
    </>
  );
}

function wordsOf(outcome: Exclude<IdsOutcome, { kind: 'ids' }>): string {
  if (outcome.kind === 'unanswered') return t('refused.unanswered');
  const { status, code, message, retryAfter } = outcome;
  if (status === 429 && retryAfter === undefined) return t('refused.429soon');
  const key = REFUSALS[status] ?? 'refused.other';
  return t(key, { status: String(status), code: code || '–', message, seconds: retryAfter ?? 0 }).trim();
}
