import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { ROOT } from '../../docs/markdown.js';

export const RULES_FILE = join(ROOT, 'docs/operations/alert-rules.yml');

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly { readonly alert: string; readonly expr: string }[];
  }[];
}
interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    /** A row has none. */
    readonly targets?: readonly { readonly expr: string }[];
  }[];
  readonly templating: { readonly list: readonly { readonly query: string | { readonly query: string } }[] };
}

const rules = load(readFileSync(RULES_FILE, 'utf8')) as Rules;
const dashboard = JSON.parse(
  readFileSync(join(ROOT, 'docs/operations/grafana-dashboard.json'), 'utf8'),
) as Dashboard;

/** A query as Grafana sends it, with every variable at "All". */
const asSent = (expr: string): string =>
  expr.replaceAll('$__rate_interval', '30s').replaceAll(/\$(job|name)\b/g, '.*');

export const alerts = rules.groups.flatMap((group) =>
  group.rules.map(({ alert, expr }) => [alert, expr] as const),
);
export const panels = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => [title, asSent(expr)] as const),
);
/** `label_values(metric{…}, label)` is Grafana's own: its parts. */
export const variables = dashboard.templating.list.flatMap(({ query }) => {
  const [, selector, label] =
    /^label_values\((.*), (\w+)\)$/.exec(typeof query === 'string' ? '' : query.query) ?? [];
  return selector === undefined || label === undefined ? [] : [[label, asSent(selector)] as const];
});
