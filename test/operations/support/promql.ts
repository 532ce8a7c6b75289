import type { SyntaxNode } from '@lezer/common';
import { parser } from '@prometheus-io/lezer-promql';

/** One use of a metric in an expression, with the labels that the expression names beside it. */
export interface PromqlNames {
  readonly metrics: ReadonlySet<string>;
  /** Of matchers, of `by`, `without`, `on` and `ignoring`. */
  readonly labels: ReadonlySet<string>;
}

/** Returns the metrics and labels that an expression names. @throws Error if it isn't PromQL */
export function namesIn(expression: string): PromqlNames {
  const metrics = new Set<string>();
  const labels = new Set<string>();
  const textOf = ({ from, to }: SyntaxNode): string => expression.slice(from, to);
  parser.parse(expression).iterate({
    enter: ({ node, type }) => {
      if (type.isError) throw new Error(`Not PromQL at ${node.from}: ${expression}`);
      const parent = node.parent?.name;
      if (type.name !== 'Identifier' && type.name !== 'LabelName') return;
      if (parent === 'VectorSelector' || parent === 'MetricIdentifier') metrics.add(textOf(node));
      if (parent === 'GroupingLabels' || parent?.endsWith('LabelMatcher')) labels.add(textOf(node));
    },
  });
  return { metrics, labels };
}
