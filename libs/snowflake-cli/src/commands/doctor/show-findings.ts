import type { Style, Terminal } from '../../frame/terminal.js';
import type { Examination, Finding, Severity } from './findings.js';

const STYLES: Readonly<Record<Severity, Style>> = { error: 'red', warning: 'yellow' };

/** Returns the findings, and what was examined, as JSON. */
export function findingsJson({ findings, examined }: Examination): object {
  return { ...countsOf(findings), findings, examined };
}

/** Returns the findings as text: errors first, each with its remedy, then what was examined. */
export function findingsText({ findings, examined }: Examination, terminal: Terminal): string {
  const end = `Examined: ${examined.join(', ') || 'nothing'}.\n`;
  if (findings.length === 0) return `No findings. ${end}`;
  const { errors, warnings } = countsOf(findings);
  const blocks = [...findings]
    .sort((a, b) => a.severity.localeCompare(b.severity))
    .map(
      ({ severity, code, problem, remedy }) =>
        `${terminal.style(STYLES[severity], `${severity} ${code}`)}\n  ${problem}\n  ${remedy}\n`,
    );
  return `${blocks.join('\n')}\n${counted(errors, 'error')}, ${counted(warnings, 'warning')}. ${end}`;
}

function countsOf(findings: readonly Finding[]): { readonly errors: number; readonly warnings: number } {
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  return { errors, warnings: findings.length - errors };
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
