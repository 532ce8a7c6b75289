import { type Schema, text } from 'nestjs-snowflake/internal/kit/schema';
import type { Model } from './route-description.js';

const SECONDS: Schema = { type: 'integer', minimum: 0 };
const RETRY_AFTER = { 'Retry-After': { description: 'Seconds to wait before a retry.', schema: SECONDS } };
const CHALLENGE = {
  'WWW-Authenticate': { description: 'The scheme and the error of RFC 6750.', schema: text() },
};

/** Problem details of RFC 9457. */
export const PROBLEM: Model = {
  name: 'SnowflakeProblem',
  properties: {
    type: text(),
    title: text(),
    status: { type: 'integer', minimum: 400, maximum: 599 },
    detail: text('What is wrong, for people.'),
    code: { type: 'string', pattern: '^SNOWFLAKE_[A-Z_]+$', description: 'Stable, for programs.' },
  },
};

/** The errors of every route, by status. */
export const PROBLEM_RESPONSES: Readonly<Record<number, { description: string; headers?: Schema }>> = {
  400: { description: 'The request is invalid.' },
  401: { description: 'The request has no token, or one that is unknown.', headers: CHALLENGE },
  403: { description: 'The token does not permit this call.', headers: CHALLENGE },
  404: { description: 'The service serves no such name.' },
  429: { description: 'A limit of the app is reached.', headers: RETRY_AFTER },
  500: { description: 'The service failed. Its log states the reason.' },
  502: {
    description:
      'The store or another dependency refuses the service. The log of the service states the reason.',
  },
  503: { description: 'The service can serve this request later.', headers: RETRY_AFTER },
};

/** Further errors of the routes that take a body. */
export const BODY_PROBLEM_RESPONSES: typeof PROBLEM_RESPONSES = {
  413: { description: 'The body is too long.' },
  415: { description: 'The body has another media type than application/json.' },
};
