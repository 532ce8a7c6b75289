import type { ModulesContainer } from '@nestjs/core';
import { requireMethods } from '../core/options/option-checks.js';
import { SnowflakeIdMaker } from '../maker/snowflake-id-maker.js';
import { INSTANCE_NAME, MAKER } from './snowflake.tokens.js';

/** Names under which ID makers are registered in an app, one for each registration, known before any maker exists. */
export function registeredNames(modules: ModulesContainer): string[] {
  return [...modules.values()]
    .filter(({ providers }) => providers.has(MAKER))
    .map(({ providers }) => String(providers.get(INSTANCE_NAME)?.instance));
}

/**
 * Returns the ID makers of an app that exist by now, by the names of their instances. Inject `ModulesContainer` of
 * `@nestjs/core`, and call it in `onApplicationBootstrap` or later to see all of them.
 *
 * @throws InvalidOptionError if `modules` is something else
 */
export function idMakersIn(modules: ModulesContainer): ReadonlyMap<string, SnowflakeIdMaker> {
  requireMethods('modules', modules, ['values'], 'Inject ModulesContainer of @nestjs/core, and pass it.');
  const makers = new Map<string, SnowflakeIdMaker>();
  for (const { providers } of modules.values()) {
    const maker: unknown = providers.get(MAKER)?.instance;
    if (maker instanceof SnowflakeIdMaker) makers.set(String(providers.get(INSTANCE_NAME)?.instance), maker);
  }
  return makers;
}
