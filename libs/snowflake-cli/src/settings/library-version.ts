import { createRequire } from 'node:module';

/**
 * Returns the version of the library, which is that of this program. Finds the manifest by the name of the package, because its relative
 * path differs between sources and build.
 */
export function libraryVersion(): string {
  const manifest: unknown = createRequire(import.meta.url)('nestjs-snowflake/package.json');
  return String(Reflect.get(Object(manifest), 'version'));
}
