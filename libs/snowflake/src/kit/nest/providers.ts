import type { ModulesContainer } from '@nestjs/core';

/** Returns every provider of an app that exists by now, each once. */
export function providersIn(modules: ModulesContainer): Set<object> {
  const found = new Set<object>();
  for (const { providers } of modules.values()) {
    for (const { instance } of providers.values()) {
      if (typeof instance === 'object' && instance !== null) found.add(instance as object);
    }
  }
  return found;
}
