/** What users import, and the source that it leads to. */
export interface EntryPoint {
  /** As users import it, such as `nestjs-snowflake/redis`. */
  readonly name: string;
  /** Relative to the repository. */
  readonly source: string;
  /** The built ES module, relative to the package. */
  readonly esm: string;
  /** The built CommonJS, relative to the package. */
  readonly cjs: string;
}

/** The folders of the packages, such as `libs/snowflake`. */
export const PACKAGE_FOLDERS: readonly string[];

export function entryPointsOf(folder: string): EntryPoint[];
