import type { ModulesContainer } from '@nestjs/core';
import { INSTANCE_NAME, MAKER } from './snowflake.tokens.js';

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

/** Names under which ID makers are registered in an app, one for each registration, known before any maker exists. */
export function registeredNames(modules: ModulesContainer): string[] {
  return [...modules.values()]
    .filter(({ providers }) => providers.has(MAKER))
    .map(({ providers }) => String(providers.get(INSTANCE_NAME)?.instance));
}
