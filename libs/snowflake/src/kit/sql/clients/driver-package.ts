import { asSentence } from '../../../core/errors/as-sentence.js';
import { safeReason } from '../../../core/errors/foreign-error.js';
import { StoreRejectedError } from '../../../core/errors/lease-errors.js';
import { isMissingPackage } from '../../missing-package.js';

/**
 * Returns the driver that the options bring, or loads the package of one, the first that is installed.
 *
 * @param given the option `driver`, which is the package itself
 * @param packages loads each package by its name, or returns `undefined` if there is none
 * @throws StoreRejectedError that names the packages if none is installed, or why one that is can't be loaded
 */
export async function driverPackage<Driver>(
  given: unknown,
  packages: Readonly<Record<string, () => Promise<unknown>>>,
): Promise<Driver> {
  if (given !== undefined && given !== null) return given as Driver;
  for (const [name, load] of Object.entries(packages)) {
    try {
      const driver = withoutNamespace(await load());
      if (driver !== undefined) return driver as Driver;
    } catch (error) {
      if (!isMissingPackage(name, error)) throw broken(name, error);
    }
  }
  const names = Object.keys(packages);
  throw new StoreRejectedError(
    `The driver of the database is not installed. Install ${names.join(' or ')}, or pass the package as driver.`,
  );
}

/** A CommonJS package is the default export of its namespace. */
function withoutNamespace(module: unknown): unknown {
  return typeof module === 'object' && module !== null && 'default' in module ? module.default : module;
}

function broken(name: string, error: unknown): StoreRejectedError {
  return new StoreRejectedError(
    `The driver of the database, ${name}, is installed but can't be loaded: ${asSentence(safeReason(error))} Install it again, with all that it ` +
      'needs, for this version of Node.',
    error,
  );
}
