const SHOWN_LENGTH = 80;

/** A value as an error message shows it: short, without passwords, and telling strings, numbers and bigints apart. */
export function showValue(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'string') return JSON.stringify(shortened(withoutCredentials(value)));
  // Not its source, which may hold a password as well.
  if (typeof value === 'function') return '[object Function]';
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
  if (Array.isArray(value)) return `[${value.slice(0, 8).map(showValue).join(', ')}]`;
  if (typeof value === 'object' && value !== null) return Object.prototype.toString.call(value);
  return String(value);
}

function shortened(text: string): string {
  return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text;
}

/** Up to the last `@`, since people put passwords into URLs as they are, with every character. */
function withoutCredentials(text: string): string {
  const start = text.indexOf('//') + 2;
  const end = text.lastIndexOf('@');
  const bare = start > 1 && end >= start ? `${text.slice(0, start)}***${text.slice(end)}` : text;
  return bare.replace(/((?:password|passwd|pwd)=)[^&;\s]*/gi, '$1***');
}
