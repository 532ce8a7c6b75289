import type { ModulesContainer } from '@nestjs/core';

/** Every provider of an app that exists by now, each once. */
export function instancesIn(modules: ModulesContainer): Set<object> {
  const instances = new Set<object>();
  for (const { providers } of modules.values()) {
    for (const { instance } of providers.values()) {
      if (typeof instance === 'object' && instance !== null) instances.add(instance as object);
    }
  }
  return instances;
}
