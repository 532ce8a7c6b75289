import { inspect } from 'node:util';
import type { Logger } from '@nestjs/common';
import { safeCopy } from 'nestjs-snowflake/internal/core/errors/foreign-error';
import { LogLine } from 'nestjs-snowflake/internal/kit/nest/log-line';
import type { Problem } from './problem.js';

/** Logs the error of a call if an operator has to change something. What passes by itself is in the response. */
export function logFailure(
  logger: Logger,
  error: unknown,
  { status, code }: Problem,
  requestId: string | undefined,
): void {
  if (status !== 500 && status !== 502) return;
  const named = requestId === undefined ? 'A request' : `Request ${requestId}`;
  const text = `${named} failed with status ${status}: ${inspect(safeCopy(error))}`;
  logger.error(new LogLine(text, { requestId, code }));
}
