import { isMissingPackage } from 'nestjs-snowflake/internal/kit/missing-package';

/** A command that loads optional packages. */
export interface PackageUser {
  /** The name of the command. */
  readonly command: string;
  /** Packages that the command needs besides the one that it loads. */
  readonly packages?: readonly string[];
}

/** A command needs a package that is not installed. */
export class MissingPackageError extends Error {
  /** @param others packages that the command needs as well */
  constructor(packageName: string, command: string, others: readonly string[] = []) {
    const packages = ['nestjs-snowflake-cli', ...others, packageName]
      .map((name) => `--package ${name}`)
      .join(' ');
    super(
      `nestjs-snowflake-cli ${command} needs the package ${packageName}, which is not installed. In a project, run: ` +
        `npm install --save-dev nestjs-snowflake-cli ${packageName}. Anywhere else, run: npx ${packages} nestjs-snowflake-cli ${command} …`,
    );
  }
}

/**
 * Loads a module that needs the stores for etcd and ZooKeeper.
 *
 * @throws MissingPackageError if their package is not installed
 */
export function withCoordination<Module>(
  { command, packages }: PackageUser,
  load: () => Promise<Module>,
): Promise<Module> {
  return withPackage('nestjs-snowflake-coordination', command, load, packages);
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
