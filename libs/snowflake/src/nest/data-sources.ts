import type { ModulesContainer } from '@nestjs/core';
import { dataSourceIntegrations, type IdSource } from '../core/index.js';
import { instancesIn } from './instances.js';
import { MAKER } from './snowflake.tokens.js';
import { INSTANCE_NAME } from './snowflake.tokens.js';

/** Lets every DataSource of the app take its IDs from the maker of this name. */
export function attachToDataSources(modules: ModulesContainer, name: string, source: IdSource): void {
  for (const integration of dataSourceIntegrations()) {
    for (const instance of instancesIn(modules)) {
      if (integration.claims(instance)) integration.attach(instance, name, source);
    }
  }
}

/**
 * Refuses an app that could lose or round IDs.
 *
 * @throws MissingSubscriberError, UnknownInstanceError, LossyDriverError
 */
export async function verifyDataSources(modules: ModulesContainer): Promise<void> {
  const names = registeredNames(modules);
  for (const integration of dataSourceIntegrations()) {
    for (const instance of instancesIn(modules)) {
      if (integration.claims(instance)) await integration.verify(instance, names);
    }
  }
}

function registeredNames(modules: ModulesContainer): Set<string> {
  const names = new Set<string>();
  for (const { providers } of modules.values()) {
    if (providers.has(MAKER)) names.add(String(providers.get(INSTANCE_NAME)?.instance));
  }
  return names;
}
