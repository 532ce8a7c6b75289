import type { ModulesContainer } from '@nestjs/core';
import { dataSourceIntegrations, type IdSource } from '../core/index.js';
import { instancesIn, registeredNames } from './instances.js';

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
  const names = new Set(registeredNames(modules));
  for (const integration of dataSourceIntegrations()) {
    for (const instance of instancesIn(modules)) {
      if (integration.claims(instance)) await integration.verify(instance, names);
    }
  }
}
