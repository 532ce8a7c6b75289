import { readFileSync } from 'node:fs';

/** Returns the version of a package that is installed for the benchmarks, from its package.json. */
export function packageVersion(name: string): string {
  return versionIn(new URL(`../../node_modules/${name}/package.json`, import.meta.url));
}

/** Version of the library itself. */
export function libraryVersion(): string {
  return versionIn(new URL('../../../libs/snowflake/package.json', import.meta.url));
}

function versionIn(file: URL): string {
  const { version }: { version: string } = JSON.parse(readFileSync(file, 'utf8'));
  return version;
}
