import { InvalidOptionError } from '../errors/input-errors.js';

/**
 * Runs a check of options, and names in its error whose options they are, where an app has several sets of them.
 *
 * @param owner such as `Invoice.number`, for `Invoice.number: zone is not an IANA time zone …`
 * @throws InvalidOptionError
 */
export function namingOwner<Result>(owner: string, check: () => Result): Result {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof InvalidOptionError)) throw error;
    const { option, value, problem, remedy, message } = error;
    throw new InvalidOptionError(`${owner}: ${option}`, value, problem, remedy, `${owner}: ${message}`);
  }
}
