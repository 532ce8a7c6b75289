import type { ComponentChildren } from 'preact';

/** A list of facts, each with its title above it. */
export function Facts({ children }: { children: ComponentChildren }) {
  return <dl class="facts">{children}</dl>;
}

export function Fact({
  title,
  isCode,
  isLong,
  children,
}: {
  title: string;
  isCode?: boolean;
  /** Whether the fact gets its own line. */
  isLong?: boolean;
  children: ComponentChildren;
}) {
  return (
    <div class={isLong ? 'fact is-wide' : 'fact'}>
      <dt>{title}</dt>
      <dd class={isCode ? 'mono' : ''}>{children}</dd>
    </div>
  );
}
