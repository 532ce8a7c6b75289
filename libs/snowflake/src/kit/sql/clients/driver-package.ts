import { StoreRejectedError } from '../../../core/errors/lease-errors.js';

/**
 * Returns the driver that the options bring, or loads the package of one, the first that is installed.
 *
 * @param given the option `driver`, which is the package itself
 * @throws StoreRejectedError that names the packages if none is installed
 */
export async function driverPackage<Driver>(
  given: unknown,
  packages: Readonly<Record<string, () => Promise<unknown>>>,
): Promise<Driver> {
  if (given !== undefined && given !== null) return given as Driver;
  for (const load of Object.values(packages)) {
    try {
      return withoutNamespace(await load()) as Driver;
    } catch (error) {
      if (!isNotInstalled(error)) throw error;
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

function isNotInstalled(error: unknown): boolean {
  const code: unknown = Reflect.get(Object(error), 'code');
  return code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND';
}
