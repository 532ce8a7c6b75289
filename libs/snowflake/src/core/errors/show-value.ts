import { UNKNOWN_SECRETS } from './redaction.js';

const SHOWN_LENGTH = 80;
/** Matches typical option names. Passwords and keys usually contain more digits. */
const OPTION_NAME = /^[A-Za-z_$.]{1,40}\d{0,2}$/;
/** Controls, marks that reverse what people read, and whatever else has no glyph. A space has one. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]/gu;
/** Replaces a value that can be or contain a password. */
export const REDACTED = '(not shown)';

/**
 * Writes characters that nobody sees as escapes of JSON: `\u202e` for the mark that reverses a text. A process chooses
 * its own name, so such a name can command a terminal or read like another one. A line of JSON keeps its meaning.
 */
export function visible(text: string): string {
  return text.replace(INVISIBLE, (character) => character.split('').map(escapeOf).join(''));
}

function escapeOf(codeUnit: string): string {
  return `\\u${codeUnit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Returns the value to show for an option that can contain a password: hides strings and arrays. */
export function redact(value: unknown): unknown {
  return (typeof value === 'string' && value !== '') || Array.isArray(value) ? REDACTED : value;
}

/** Returns the name of an unknown option if it looks like a name, because a secret can be passed in its place. */
export function showName(name: string): string {
  return OPTION_NAME.test(name) ? name : REDACTED;
}

/** Returns a value that an error can keep: a string without secrets, and {@link showValue} of an object. */
export function safeValue(value: unknown): unknown {
  if (typeof value === 'string') return UNKNOWN_SECRETS.clean(value);
  const isPlain = value === null || !['object', 'function', 'symbol'].includes(typeof value);
  return isPlain || value instanceof Date ? value : showValue(value);
}

/** Returns a value as text for an error message: short, without passwords, with strings and bigints marked as such. */
export function showValue(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'string') return JSON.stringify(shortened(UNKNOWN_SECRETS.clean(value)));
  // Its source code can contain a password.
  if (typeof value === 'function') return '[object Function]';
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
  if (Array.isArray(value)) return `[${value.slice(0, 8).map(showItem).join(', ')}]`;
  if (typeof value === 'object' && value !== null) return Object.prototype.toString.call(value);
  return String(value);
}

/** Doesn't recurse into arrays, because an array can contain itself. */
function showItem(item: unknown): string {
  return Array.isArray(item) ? '[object Array]' : showValue(item);
}

function shortened(text: string): string {
  return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text;
}
