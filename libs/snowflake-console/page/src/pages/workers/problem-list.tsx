import { docsAddress } from '../../../../../snowflake/src/core/see-docs.js';
import { durationText } from '../../messages/durations.js';
import { t } from '../../messages/messages.js';
import { dateText, localTime } from '../../messages/times.js';
import type { Problem } from '../../workers/problems.js';
import { RUNBOOKS, type ProblemKind } from '../../workers/runbooks.js';
import { differenceText } from './clock-difference.js';

/** How urgent a problem is; one that is missing here stops IDs, or is about to. */
const TONES: Partial<Readonly<Record<ProblemKind, 'is-warning' | 'is-calm'>>> = {
  clock: 'is-warning',
  incidents: 'is-warning',
  waits: 'is-warning',
  offline: 'is-calm',
  layoutEnds: 'is-calm',
};

/** What is wrong, the most urgent first. Shows nothing if nothing is. */
export function ProblemList({ problems }: { problems: readonly Problem[] }) {
  return (
    <ul class="problems" aria-label={t('problem.title')}>
      {problems.map((problem) => (
        <li key={problem.kind} class={`panel ${TONES[problem.kind] ?? ''}`}>
          <p role={TONES[problem.kind] === 'is-calm' ? undefined : 'alert'}>{wordsOf(problem)}</p>
          <Runbook kind={problem.kind} />
        </li>
      ))}
    </ul>
  );
}

/** A link once the documentation is published, and its title before. */
function Runbook({ kind }: { kind: ProblemKind }) {
  const { page, title, heading } = RUNBOOKS[kind];
  const address = docsAddress(page, heading);
  const words = heading === undefined ? title : `${title}: ${heading}`;
  return (
    <p class="runbook">
      {t('problem.runbook')}{' '}
      {address === undefined ? (
        <cite>{words}</cite>
      ) : (
        <a href={address} target="_blank" rel="noreferrer">
          {words}
        </a>
      )}
    </p>
  );
}

function wordsOf(problem: Problem): string {
  switch (problem.kind) {
    case 'store':
      return t(problem.isOld ? 'workers.unreadOld' : 'workers.unread', { code: problem.code });
    case 'degraded':
    case 'exhausted':
      return [
        ...(problem.idsLeft === undefined ? [] : [t('problem.idsLeft', { count: problem.idsLeft })]),
        t(`problem.${problem.kind}`),
        ...(problem.code === undefined ? [] : [t('workers.unread', { code: problem.code })]),
      ].join(' ');
    case 'clock':
      return t('problem.clock', {
        count: problem.clocks.length,
        clocks: listed(
          problem.clocks.map(({ process, aheadMs }) => `${process} (${differenceText(aheadMs)})`),
        ),
      });
    case 'history':
      return t('history.changed', { count: problem.count });
    case 'waits':
      return t('history.waits', {
        time: localTime(problem.untilMs),
        duration: durationText(problem.leftMs),
      });
    case 'unreadable':
      return t('workers.unreadable', { fields: listed(problem.fields) });
    case 'incidents':
      return t('problem.incidents', { count: problem.count });
    case 'offline':
      return t('problem.offline', { count: problem.count, time: localTime(problem.lastMs) });
    case 'layoutEnds':
      return t('problem.layoutEnds', { date: dateText(problem.endsMs) });
  }
}

const MOST_NAMED = 8;

function listed(names: readonly string[]): string {
  return [...names.slice(0, MOST_NAMED), ...(names.length > MOST_NAMED ? ['…'] : [])].join(', ');
}
