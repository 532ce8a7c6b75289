import type { Refusal } from '../api/console-api.js';
import type { ConsoleAnswer } from './messages.js';

/** Nothing but files and data of the page's own origin: no inline script, no inline style, no frame, no form. */
export const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/** The headers of every answer. */
export const SAFE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
};

/** Returns an answer with data, which no cache keeps. */
export function jsonAnswer(
  value: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): ConsoleAnswer {
  return {
    status,
    headers: { ...SAFE_HEADERS, 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(value),
  };
}

/** Returns an answer that says why the console does not do what was asked. */
export function refusal(
  status: number,
  code: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): ConsoleAnswer {
  const body: Refusal = { code, message };
  return jsonAnswer(body, status, headers);
}
