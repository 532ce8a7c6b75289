import type { ModulesContainer } from '@nestjs/core';
import { providersIn } from './providers.js';
import { CallMeter } from '../call-meter.js';

/** Returns the meters of the ID services of an app. */
export function callMetersIn(modules: ModulesContainer): CallMeter[] {
  return [...providersIn(modules)].filter((provider) => provider instanceof CallMeter);
}
