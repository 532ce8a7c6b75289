import type { Type } from '@nestjs/common';
import type { ModuleRef } from '@nestjs/core';

/**
 * Returns the provider of a module of a sibling package, or `undefined` if the app doesn't import that module. Finds it by its class,
 * since a minified bundle changes the names of modules, and an app can have a module with the same name.
 *
 * @param load imports the class, with a literal name and within `try`, so that bundlers include the package, and build without it. An app
 * that has the module has loaded the package, so whatever keeps it from loading, the app doesn't have the module
 */
export async function optionalProvider<T>(
  moduleRef: ModuleRef,
  load: () => Promise<(abstract new (...given: never[]) => T) | undefined>,
): Promise<T | undefined> {
  const type = await load();
  if (!type) return undefined;
  try {
    return moduleRef.get<T>(type as Type<T>, { strict: false });
  } catch {
    return undefined;
  }
}
