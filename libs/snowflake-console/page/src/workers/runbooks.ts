import type { NamedPage } from '../../../../snowflake/src/core/see-docs.js';
import type { Problem } from './problems.js';

export type ProblemKind = Problem['kind'];

/** A page of the documentation and its title. The titles of all pages would make this one larger. */
interface Runbook {
  readonly page: NamedPage;
  readonly title: string;
  readonly heading?: string;
}

const UNREACHABLE: Runbook = {
  page: 'operations/store-unreachable',
  title: 'The lease store is unreachable',
  heading: 'What to do now',
};
const problems = (heading: string): Runbook => ({ page: 'operations/problems', title: 'Problems', heading });

/** What to do about each problem. */
export const RUNBOOKS: Readonly<Record<ProblemKind, Runbook>> = {
  store: UNREACHABLE,
  degraded: UNREACHABLE,
  exhausted: UNREACHABLE,
  clock: problems('A clock is wrong'),
  history: { page: 'operations/restoring-a-backup', title: 'Restoring a backup' },
  waits: problems('Every startup waits'),
  unreadable: problems('The registry is unreadable'),
  incidents: problems('The worker ID changes again and again'),
  offline: problems('A process went offline'),
  layoutEnds: { page: 'reference/layouts', title: 'Layouts', heading: 'The end of a layout' },
};
