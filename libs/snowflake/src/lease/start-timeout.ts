import { AcquireTimeoutError } from '../core/errors/lease-errors.js';
import type { SnowflakeError } from '../core/errors/snowflake-error.js';
import type { MachineRules, MachineState } from './lease-state.js';

type Rules = Pick<MachineRules, 'acquireTimeoutMs' | 'description'>;

/** Returns the error of a start whose store has not opened. @param warning what the store has said last */
export function notOpened(rules: Rules, warning?: string): SnowflakeError {
  const said = warning === undefined ? '' : ` Its last warning: ${warning}`;
  return timedOut(
    rules,
    `${rules.description} did not open. Check the disk, the mount or the host that it waits for.${said}`,
  );
}

/** Returns the error of a start that got no lease from an open store. */
export function notGranted(
  rules: Rules,
  { refusal, outage }: Pick<MachineState, 'refusal' | 'outage'>,
): SnowflakeError {
  if (refusal?.reason === 'full' && !outage) return refusal.error;
  const cause = outage?.lastError ?? refusal?.error;
  return timedOut(rules, cause?.message ?? `${rules.description} did not answer.`, cause);
}

function timedOut(
  { acquireTimeoutMs, description }: Rules,
  reason: string,
  cause?: SnowflakeError,
): SnowflakeError {
  return new AcquireTimeoutError(acquireTimeoutMs, description, reason, cause);
}
