import type { ModulesContainer } from '@nestjs/core';
import { DuplicateInstanceError, InvalidOptionError } from '../core/index.js';
import { SnowflakeIdMaker, type SnowflakeOptions } from '../maker/index.js';
import { registeredNames } from './instances.js';
import { LeaseLogger } from './lease-logger.js';

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
  assertDistinctNames(modules);
  if (typeof options !== 'object' || options === null) {
    throw new InvalidOptionError('options', options, 'are missing', 'Return an object from useFactory.');
  }
  const maker = new SnowflakeIdMaker(options);
  new LeaseLogger(name, maker).start();
  await maker.start();
  return maker;
}

/**
 * Nest tells two equal dynamic modules apart, so a second registration would quietly hold a second lease. All names are
 * checked by every maker: an app that does not boot must not leave the lease of another instance behind.
 */
function assertDistinctNames(modules: ModulesContainer): void {
  const names = registeredNames(modules);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) throw new DuplicateInstanceError(repeated);
}
