import { DEFAULT_INSTANCE } from '../../core/ids/id-source-name.js';
import { requireMethods } from '../../core/options/option-checks.js';
import { checkedBy, flag } from '../../core/options/option-rule.js';
import type { SnowflakeIdMaker } from '../../maker/snowflake-id-maker.js';
import { requireInstanceName } from '../../nest/snowflake.tokens.js';

/** The rule of the option `inspect`. */
export const INSPECT = flag().or(false);

/** The rule of the option `instance`. */
export const INSTANCE = checkedBy((option, value) => requireInstanceName(option, value as string)).or(
  DEFAULT_INSTANCE,
);

/** Returns `ids` if metrics can be read from it. @throws InvalidOptionError */
export function requireMaker(ids: SnowflakeIdMaker): SnowflakeIdMaker {
  return requireMethods('ids', ids, ['status', 'subscribe', 'nowMs', 'inspect'], 'Pass a SnowflakeIdMaker.');
}
