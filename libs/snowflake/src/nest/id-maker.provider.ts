import type { ModulesContainer } from '@nestjs/core';
import { DuplicateInstanceError } from '../core/errors/setup-errors.js';
import { InvalidOptionError } from '../core/errors/input-errors.js';
import type { Boot } from '../kit/nest/boot.js';
import { DRAIN_TIMEOUT_MS } from '../kit/nest/bounded-drain.js';
import type { Lifecycle } from '../kit/nest/lifecycle.js';
import { SnowflakeIdMaker } from '../maker/snowflake-id-maker.js';
import { InstanceLogger } from './instance-logger.js';
import { registeredNames } from './instances.js';
import { LeaseLogger } from './lease-logger.js';
import type { SnowflakeModuleOptions } from './module-options.js';

/** Creates the ID maker of a module and awaits its first lease, so that an app that has started can issue IDs. */
export function startedIdMaker(
  options: SnowflakeModuleOptions,
  name: string,
  modules: ModulesContainer,
  boot: Boot,
  lifecycle: Lifecycle<SnowflakeIdMaker>,
): Promise<SnowflakeIdMaker> {
  refuseLazyModule(boot);
  assertDistinctNames(modules);
  const maker = new SnowflakeIdMaker(options);
  const drainTimeoutMs = DRAIN_TIMEOUT_MS.check('drainTimeoutMs', options.drainTimeoutMs);
  new LeaseLogger(name, maker, options.lease?.waitAtBoot).start();
  const logger = new InstanceLogger(name);
  return lifecycle.start(maker, {
    drainTimeoutMs,
    warn: (message) => logger.write('warn', message, { workerId: maker.status().workerId }),
    ending: 'The ID maker stops and releases its lease.',
  });
}

/** Nest calls no hooks of a lazy module, so its maker would never stop and release the lease. */
function refuseLazyModule(boot: Boot): void {
  if (!boot.hasEnded) return;
  throw new InvalidOptionError(
    'imports',
    'SnowflakeModule',
    'belongs to a lazily loaded module, so its worker ID would never be released',
    'Import SnowflakeModule in the root module. Lazy modules can inject its makers.',
  );
}

/**
 * Nest keeps two equal dynamic modules apart, so a second registration would silently hold a second lease. Every maker
 * checks all names before it acquires a lease, so that a failed startup leaves none behind.
 */
function assertDistinctNames(modules: ModulesContainer): void {
  const names = registeredNames(modules);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) throw new DuplicateInstanceError(repeated);
}
