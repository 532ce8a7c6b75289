import type { ComponentChildren } from 'preact';

export interface Tab<Name extends string> {
  readonly name: Name;
  readonly title: string;
}

/** Tabs with one panel, as the ARIA Authoring Practices describe them: arrow keys move, and show at once. */
export function Tabs<Name extends string>({
  tabs,
  shown,
  label,
  onShow,
  children,
}: {
  tabs: readonly Tab<Name>[];
  shown: Name;
  label: string;
  onShow: (name: Name) => void;
  children: ComponentChildren;
}) {
  if (tabs.length < 2) return <>{children}</>;
  const move = (event: KeyboardEvent): void => {
    const steps: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const index = tabs.findIndex(({ name }) => name === shown);
    const next = tabs[(index + step + tabs.length) % tabs.length];
    if (!next) return;
    onShow(next.name);
    document.getElementById(`tab-${next.name}`)?.focus();
  };
  return (
    <>
      <div class="tabs" role="tablist" aria-label={label} onKeyDown={move}>
        {tabs.map(({ name, title }) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`tab-${name}`}
            aria-selected={name === shown}
            aria-controls="tab-panel"
            tabIndex={name === shown ? 0 : -1}
            onClick={() => onShow(name)}
          >
            {title}
          </button>
        ))}
      </div>
      <div id="tab-panel" role="tabpanel" aria-labelledby={`tab-${shown}`}>
        {children}
      </div>
    </>
  );
}
