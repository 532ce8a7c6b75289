import { type ForeignError, textlessCopy } from '../core/errors/foreign-error.js';
import { SnowflakeError } from '../core/errors/snowflake-error.js';

/** A function of the app has failed. */
export class AppFunctionError extends Error {}

/**
 * Calls a function of the app that fetches a password, a token or an address.
 *
 * @param option the option that is the function
 * @throws AppFunctionError without the text of what the function threw, because it can hold the secret: `JSON.parse()` repeats a part of a file.
 * Its cause has the name, the code and the stack
 */
export async function askApp<Value>(option: string, ask: () => Value | Promise<Value>): Promise<Value> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof SnowflakeError) throw error;
    const cause = textlessCopy(error);
    throw new AppFunctionError(
      `the function ${option} threw ${named(cause)}, whose text is not shown because it can hold a secret`,
      { cause },
    );
  }
}

function named({ name, code }: ForeignError): string {
  return code === undefined ? name : `${name} ${code}`;
}
