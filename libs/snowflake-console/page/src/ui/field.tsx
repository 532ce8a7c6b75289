import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';

/** The IDs that connect an input with its label and its description. */
export interface FieldAttributes {
  readonly id: string;
  readonly 'aria-invalid'?: true;
  readonly 'aria-describedby'?: string;
}

/** An input with its label above it, and the meaning and the problem of its value below it. */
export function Field({
  label,
  note,
  problem,
  children,
  input,
}: {
  label: string;
  note?: string;
  problem?: string;
  children?: ComponentChildren;
  input: (attributes: FieldAttributes) => JSX.Element;
}) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {input({ id, ...described(id, note, problem) })}
      {note && <small id={`${id}-note`}>{note}</small>}
      <FieldProblem id={`${id}-problem`} problem={problem} />
      {children}
    </div>
  );
}

/** Shows the problem of a field at once. The element exists before, so that screen readers announce the change. */
export function FieldProblem({ id, problem }: { id: string; problem?: string }) {
  return (
    <span id={id} class="field-problem" aria-live="polite">
      {problem}
    </span>
  );
}

function described(
  id: string,
  note: string | undefined,
  problem: string | undefined,
): Omit<FieldAttributes, 'id'> {
  const about = [...(note ? [`${id}-note`] : []), ...(problem ? [`${id}-problem`] : [])];
  return {
    ...(problem && { 'aria-invalid': true }),
    ...(about.length > 0 && { 'aria-describedby': about.join(' ') }),
  };
}
