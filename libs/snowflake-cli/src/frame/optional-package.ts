import { isMissingPackage } from 'nestjs-snowflake/internal/kit/missing-package';

/** A command needs a package that is not installed. */
export class MissingPackageError extends Error {
  /** @param others packages that the command needs as well */
  constructor(packageName: string, command: string, others: readonly string[] = []) {
    const packages = ['nestjs-snowflake-cli', ...others, packageName]
      .map((name) => `--package ${name}`)
      .join(' ');
    super(
      `nestjs-snowflake ${command} needs the package ${packageName}, which is not installed. In a project, run: ` +
        `npm install --save-dev nestjs-snowflake-cli ${packageName}. Anywhere else, run: npx ${packages} nestjs-snowflake ${command} …`,
    );
  }
}

/**
 * Loads a module that needs an optional package.
 *
 * @param others packages that the command needs as well, for the remedy
 * @param load such as `() => import('nestjs-snowflake/redis')`
 * @throws MissingPackageError if the package is not installed
 */
export async function withPackage<Module>(
  packageName: string,
  command: string,
  load: () => Promise<Module>,
  others: readonly string[] = [],
): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    if (isMissingPackage(packageName, error)) throw new MissingPackageError(packageName, command, others);
    throw error;
  }
}
