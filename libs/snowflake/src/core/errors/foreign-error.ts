import { type Redaction, UNKNOWN_SECRETS } from './redaction.js';

const SHOWN_FRAMES = 10;
const LONGEST_CHAIN = 4;
const NAME = /^[A-Za-z_$][\w$]{0,63}$/;
/** What tells causes apart and cannot be a secret: names and numbers that the system, a driver or a server chose. */
const TELLING = ['code', 'errno', 'syscall', 'sqlState'] as const;
const TELLING_VALUE = /^[A-Za-z0-9_.-]{1,64}$/;

/**
 * An error of somebody else's code as it may leave the library. The original may hold a password in any property: ioredis
 * keeps the command that failed, drivers and TypeORM keep parameters and options. So nothing is taken over but the name,
 * the code, the message and the stack, without secrets.
 */
export interface ForeignError extends Error {
  readonly code?: string | number;
}

/**
 * Copies what may be shown of a thrown value.
 *
 * @param thrown an error, or whatever else was thrown
 * @param redaction knows the secrets that the message may hold
 */
export function safeCopy(thrown: unknown, redaction: Redaction = UNKNOWN_SECRETS): ForeignError {
  return copyOf(thrown, redaction, LONGEST_CHAIN);
}

/** What somebody else's code threw, in words without secrets. */
export function safeReason(thrown: unknown): string {
  const { message, code, name } = safeCopy(thrown);
  return message || String(code ?? name);
}

/** Marks copies made here, which need no other copy. The mark is invisible from outside. */
class Copy extends Error {
  readonly #isCopy = true;

  static includes(thrown: unknown): thrown is ForeignError {
    return typeof thrown === 'object' && thrown !== null && #isCopy in thrown && thrown.#isCopy;
  }
}

function copyOf(thrown: unknown, redaction: Redaction, depth: number): ForeignError {
  if (Copy.includes(thrown)) return thrown;
  const cause = property(thrown, 'cause');
  const hasCause = cause !== undefined && cause !== null && depth > 1;
  const message = redaction.clean(messageOf(thrown));
  const copy = new Copy(message, hasCause ? { cause: copyOf(cause, redaction, depth - 1) } : undefined);
  const name = nameOf(thrown, redaction);
  const header = message === '' ? name : `${name}: ${message}`;
  Object.defineProperties(copy, {
    name: { value: name, configurable: true, writable: true },
    stack: {
      value: [header, ...framesOf(thrown, redaction)].join('\n'),
      configurable: true,
      writable: true,
    },
  });
  for (const field of TELLING) {
    const value = property(thrown, field);
    if (isTelling(value, redaction)) Object.assign(copy, { [field]: value });
  }
  // Only the mark is wanted of the class.
  return Object.setPrototypeOf(copy, Error.prototype) as ForeignError;
}

/** A getter or a Proxy may throw: then there is nothing to tell. */
function property(holder: unknown, name: string): unknown {
  if (typeof holder !== 'object' || holder === null) return undefined;
  try {
    return Reflect.get(holder, name);
  } catch {
    return undefined;
  }
}

function messageOf(thrown: unknown): string {
  if (typeof thrown === 'function') return 'a function was thrown';
  if (typeof thrown !== 'object' || thrown === null) return String(thrown);
  const message = property(thrown, 'message');
  return typeof message === 'string' ? message : 'an object without a message was thrown';
}

function nameOf(thrown: unknown, redaction: Redaction): string {
  const name = property(thrown, 'name');
  return typeof name === 'string' && NAME.test(name) && redaction.clean(name) === name ? name : 'Error';
}

function isTelling(value: unknown, redaction: Redaction): value is string | number {
  if (typeof value === 'number') return true;
  return typeof value === 'string' && TELLING_VALUE.test(value) && redaction.clean(value) === value;
}

/** Where it was thrown. The stack begins with the message, which may have lines that look like that. */
function framesOf(thrown: unknown, redaction: Redaction): string[] {
  const stack = property(thrown, 'stack');
  if (typeof stack !== 'string') return [];
  const message = messageOf(thrown);
  const start = stack.indexOf(message);
  const frames = stack
    .slice(start < 0 ? 0 : start + message.length)
    .split('\n')
    .filter((line) => /^\s+at /.test(line));
  // They name files, some of which look like URLs with a user: file:///app/node_modules/@nestjs/core/…
  return frames.slice(0, SHOWN_FRAMES).map((frame) => redaction.remove(frame));
}
