import type { Refusal } from '../api/console-api.js';
import type { ConsoleAnswer } from './messages.js';

/** Allows only files and data of the page's own origin: no inline scripts or styles, no frames, no forms. */
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

/** Returns a JSON answer that is never cached. */
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

/** Returns the answer to a request that the console refuses, with the reason. */
export function refusal(
  status: number,
  code: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): ConsoleAnswer {
  const body: Refusal = { code, message };
  return jsonAnswer(body, status, headers);
}
