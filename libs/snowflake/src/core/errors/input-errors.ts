import { safeValue, showValue } from './show-value.js';
import { SnowflakeError } from './snowflake-error.js';

/**
 * An option or argument is missing, malformed or out of bounds, or contradicts another one.
 *
 * Correct it as the message says.
 */
export class InvalidOptionError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_INVALID_OPTION';
  /** The given value, without secrets. An object can hold a password, so a string describes its type instead. */
  readonly value: unknown;

  /**
   * @param option name of the option as the user writes it, e.g. `layout.workerBits`
   * @param value the given value; not shown if it is undefined and `problem` says that it is missing
   * @param problem what is wrong with it, as the end of a sentence that starts with the option's name
   * @param remedy what to do about it, as a full sentence
   * @param message default: composed of the others
   */
  constructor(
    readonly option: string,
    value: unknown,
    readonly problem: string,
    readonly remedy: string,
    message: string = `${option} ${problem}${given(value, problem)}. ${remedy}`,
  ) {
    super(message);
    this.value = safeValue(value);
  }
}

function given(value: unknown, problem: string): string {
  return value === undefined && problem.startsWith('is missing') ? '' : ` (given: ${showValue(value)})`;
}

/**
 * The value is neither a decimal string nor a bigint, is outside 63 bits, or doesn't fit the codec or the layout.
 *
 * Respond with 400. Pass IDs as strings, because a JSON number rounds them.
 */
export class InvalidIdError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_INVALID_ID';
  override readonly clientFault: string;
  /** The given value, without secrets. A string describes the type of an object. */
  readonly value: unknown;

  constructor(
    value: unknown,
    readonly problem: string,
    readonly remedy = 'Pass the decimal string that nextId() returned, or the bigint of nextBigInt().',
  ) {
    super(`Not a Snowflake ID: ${showValue(value)} ${problem}. ${remedy}`);
    this.clientFault = `Not a valid ID: it ${problem}. Send the ID as the API returned it.`;
    this.value = safeValue(value);
  }
}
