import type { Style, Terminal } from '../../frame/terminal.js';
import type { Finding, Severity } from './findings.js';

const STYLES: Readonly<Record<Severity, Style>> = { error: 'red', warning: 'yellow' };

/** Returns the findings as JSON. */
export function findingsJson(findings: readonly Finding[]): object {
  return { ...countsOf(findings), findings };
}

/** Returns the findings for people: errors first, each with its remedy. */
export function findingsText(findings: readonly Finding[], terminal: Terminal): string {
  if (findings.length === 0) return 'No findings.\n';
  const { errors, warnings } = countsOf(findings);
  const blocks = [...findings]
    .sort((a, b) => a.severity.localeCompare(b.severity))
    .map(
      ({ severity, code, problem, remedy }) =>
        `${terminal.style(STYLES[severity], `${severity} ${code}`)}\n  ${problem}\n  ${remedy}\n`,
    );
  return `${blocks.join('\n')}\n${counted(errors, 'error')}, ${counted(warnings, 'warning')}.\n`;
}

function countsOf(findings: readonly Finding[]): { readonly errors: number; readonly warnings: number } {
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  return { errors, warnings: findings.length - errors };
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
