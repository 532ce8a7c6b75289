import { UNKNOWN_SECRETS } from './redaction.js';

const SHOWN_LENGTH = 80;
/** Letters, as names of options have them. Passwords and keys mostly have more digits. */
const OPTION_NAME = /^[A-Za-z_$.]{1,40}\d{0,2}$/;
/** Stands for a value that may be a password or hold one. */
export const UNSHOWN = '(not shown)';

/** What an error may show of an option in which people put passwords: no text. Of an object only the kind is shown. */
export function concealed(value: unknown): unknown {
  return (typeof value === 'string' && value !== '') || Array.isArray(value) ? UNSHOWN : value;
}

/** The name of an option that nobody knows, if it looks like one: people also pass secrets in the place of names. */
export function showName(name: string): string {
  return OPTION_NAME.test(name) ? name : UNSHOWN;
}

/** A value as an error may keep it: as it is where it cannot hold a secret, else what is shown of it. */
export function safeValue(value: unknown): unknown {
  if (typeof value === 'string') return UNKNOWN_SECRETS.clean(value);
  const isPlain = value === null || !['object', 'function', 'symbol'].includes(typeof value);
  return isPlain || value instanceof Date ? value : showValue(value);
}

/** A value as an error message shows it: short, without passwords, and telling strings, numbers and bigints apart. */
export function showValue(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'string') return JSON.stringify(shortened(UNKNOWN_SECRETS.clean(value)));
  // Not its source, which may hold a password as well.
  if (typeof value === 'function') return '[object Function]';
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
  if (Array.isArray(value)) return `[${value.slice(0, 8).map(showItem).join(', ')}]`;
  if (typeof value === 'object' && value !== null) return Object.prototype.toString.call(value);
  return String(value);
}

/** An array within an array may be the same one. */
function showItem(item: unknown): string {
  return Array.isArray(item) ? '[object Array]' : showValue(item);
}

function shortened(text: string): string {
  return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text;
}
