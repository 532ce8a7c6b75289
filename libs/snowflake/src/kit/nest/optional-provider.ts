import type { Type } from '@nestjs/common';
import { type ModuleRef, ModulesContainer } from '@nestjs/core';

/**
 * Returns the provider of a module of a sibling package, or `undefined` if the app doesn't import that module. Another module can
 * have the same name: then loading fails, or the app has no such provider.
 *
 * @param load imports the class of the provider. It runs only if the app has the module, since the package may not be installed.
 */
export async function optionalProvider<T>(
  moduleRef: ModuleRef,
  moduleName: string,
  load: () => Promise<abstract new (...given: never[]) => T>,
): Promise<T | undefined> {
  const modules = moduleRef.get(ModulesContainer, { strict: false });
  if (![...modules.values()].some(({ name }) => name === moduleName)) return undefined;
  try {
    return moduleRef.get<T>((await load()) as Type<T>, { strict: false });
  } catch {
    return undefined;
  }
}
