import type { ModulesContainer } from '@nestjs/core';
import { DuplicateInstanceError, InvalidOptionError } from '../core/index.js';
import { SnowflakeIdMaker, type SnowflakeOptions } from '../maker/index.js';
import { LeaseLogger } from './lease-logger.js';
import { getSnowflakeToken } from './snowflake.tokens.js';

const INSTANCE_NAME_PATTERN = /^[\w.-]{1,64}$/;

/**
 * Makes the ID maker of a module and awaits its first lease, so that an app that has booted can issue, and one that
 * can't does not boot.
 */
export async function startedIdMaker(
  options: SnowflakeOptions,
  name: string,
  modules: ModulesContainer,
): Promise<SnowflakeIdMaker> {
  if (typeof name !== 'string' || !INSTANCE_NAME_PATTERN.test(name)) {
    throw new InvalidOptionError(
      'name',
      name,
      'is no instance name',
      'Use 1 to 64 letters, digits, _, . or -.',
    );
  }
  assertSingle(name, modules);
  if (typeof options !== 'object' || options === null) {
    throw new InvalidOptionError('options', options, 'are missing', 'Return an object from useFactory.');
  }
  const maker = new SnowflakeIdMaker(options);
  new LeaseLogger(name, maker).start();
  await maker.start();
  return maker;
}

/** Nest tells two equal dynamic modules apart, so a second registration would quietly hold a second lease. */
function assertSingle(name: string, modules: ModulesContainer): void {
  const token = getSnowflakeToken(name);
  const registrations = [...modules.values()].filter(({ providers }) => {
    const provider = providers.get(token);
    return provider !== undefined && provider.isAlias === true;
  });
  if (registrations.length > 1) throw new DuplicateInstanceError(name);
}
