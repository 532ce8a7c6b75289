import { sharedInProcess } from '../process-memory.js';
import { type Redaction, UNKNOWN_SECRETS } from './redaction.js';

const SHOWN_FRAMES = 10;
const LONGEST_CHAIN = 4;
const NAME = /^[A-Za-z_$][\w$]{0,63}$/;
/** Properties that identify a cause and can't be a secret: the system, a driver or a server chooses their values. */
const TELLING = ['code', 'errno', 'syscall', 'sqlState'] as const;
const TELLING_VALUE = /^[A-Za-z0-9_.-]{1,64}$/;

/**
 * A copy of a foreign error that is safe to expose. The original can hold a password in any property: ioredis keeps the
 * failed command, drivers and TypeORM keep parameters and options. So the copy has only the name, the code, the message
 * and the stack, without secrets.
 */
export interface ForeignError extends Error {
  readonly code?: string | number;
}

/**
 * Copies the parts of a thrown value that are safe to expose.
 *
 * @param thrown an error, or any other thrown value
 * @param redaction removes the secrets that the message can contain
 */
export function safeCopy(thrown: unknown, redaction: Redaction = UNKNOWN_SECRETS): ForeignError {
  return copyOf(thrown, redaction, LONGEST_CHAIN);
}

/** Copies the same parts, except the text and the causes, which can hold a secret that nobody knows. */
export function textlessCopy(thrown: unknown): ForeignError {
  return copyOf(thrown, UNKNOWN_SECRETS, 1, '(not shown)');
}

/** Returns the message, code or name of a thrown value, without secrets. */
export function safeReason(thrown: unknown): string {
  const { message, code, name } = safeCopy(thrown);
  return message || String(code ?? name);
}

/** The copies that were made in this process, which need no other copy. */
const copies = sharedInProcess('safe copies', () => new WeakSet<object>());

const isCopy = (thrown: unknown): thrown is ForeignError => copies.has(thrown as object);

function copyOf(
  thrown: unknown,
  redaction: Redaction,
  depth: number,
  message = redaction.clean(messageOf(thrown)),
): ForeignError {
  if (isCopy(thrown)) return thrown;
  const cause = property(thrown, 'cause');
  const hasCause = cause !== undefined && cause !== null && depth > 1;
  const copy: ForeignError = new Error(
    message,
    hasCause ? { cause: copyOf(cause, redaction, depth - 1) } : undefined,
  );
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
    if (isShowable(value, redaction)) Object.assign(copy, { [field]: value });
  }
  copies.add(copy);
  return copy;
}

/** Returns a property, or `undefined` if a getter or a Proxy throws. */
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

function isShowable(value: unknown, redaction: Redaction): value is string | number {
  if (typeof value === 'number') return true;
  return typeof value === 'string' && TELLING_VALUE.test(value) && redaction.clean(value) === value;
}

/** Returns the stack frames. Skips the message that the stack starts with, because it can contain similar lines. */
function framesOf(thrown: unknown, redaction: Redaction): string[] {
  const stack = property(thrown, 'stack');
  if (typeof stack !== 'string') return [];
  const message = messageOf(thrown);
  const start = stack.indexOf(message);
  const frames = stack
    .slice(start < 0 ? 0 : start + message.length)
    .split('\n')
    .filter((line) => /^\s+at /.test(line));
  // Doesn't call clean(), because frames can look like URLs with a user: file:///app/node_modules/@nestjs/core/…
  return frames.slice(0, SHOWN_FRAMES).map((frame) => redaction.remove(frame));
}
