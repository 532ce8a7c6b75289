const EXAMPLES: Readonly<Record<string, string>> = { REDIS_URL: 'redis://localhost:6379' };
const DATABASE_EXAMPLE = 'postgres://user:password@localhost:5432/app';

/** Returns the text of `.env.example` with a variable, or `undefined` if it has the variable already. */
export function withVariable(text: string | undefined, variable: string): string | undefined {
  if (hasVariable(text, variable)) return undefined;
  const eol = text?.includes('\r\n') ? '\r\n' : '\n';
  const start = text === undefined || text === '' || text.endsWith('\n') ? (text ?? '') : text + eol;
  return `${start}${variable}=${EXAMPLES[variable] ?? DATABASE_EXAMPLE}${eol}`;
}

/** Returns whether the text of an `.env` file sets a variable. */
export function hasVariable(text: string | undefined, variable: string): boolean {
  const names = (text ?? '').split('\n').map((line) => line.split('=', 1)[0]?.trim().replace('export ', ''));
  return names.includes(variable);
}
