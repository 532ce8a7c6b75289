import { Logger } from '@nestjs/common';
import type { ModulesContainer } from '@nestjs/core';
import { concealed } from '../core/errors/show-value.js';
import { DEFAULT_INSTANCE, DuplicateInstanceError, InvalidOptionError, systemClock } from '../core/index.js';
import { SnowflakeIdMaker } from '../maker/index.js';
import type { Boot } from './boot.js';
import { BoundedDrain } from './bounded-drain.js';
import { registeredNames } from './instances.js';
import { LeaseLogger } from './lease-logger.js';
import {
  DEFAULT_DRAIN_TIMEOUT_MS,
  requireModuleOptions,
  type SnowflakeModuleOptions,
} from './module-options.js';

/**
 * Makes the ID maker of a module and awaits its first lease, so that an app that has booted can issue, and one that
 * can't does not boot.
 */
export function startedIdMaker(
  options: SnowflakeModuleOptions,
  name: string,
  modules: ModulesContainer,
  boot: Boot,
): Promise<SnowflakeIdMaker> {
  return boot.step(async () => {
    refuseLazyModule(boot);
    assertDistinctNames(modules);
    if (typeof options !== 'object' || options === null) {
      const remedy = 'Return an object from useFactory.';
      throw new InvalidOptionError('options', concealed(options), 'are missing', remedy);
    }
    const maker = new SnowflakeIdMaker(requireModuleOptions(options));
    boot.add(maker);
    new LeaseLogger(name, maker).start();
    await maker.start();
    return maker;
  });
}

/** Makes the bound of the shutdown of a maker that has started, so its options are checked. */
export function boundedDrain(
  maker: SnowflakeIdMaker,
  name: string,
  options?: SnowflakeModuleOptions,
): BoundedDrain {
  const logger = new Logger(name === DEFAULT_INSTANCE ? 'Snowflake' : `Snowflake:${name}`);
  const timeoutMs = options?.drainTimeoutMs ?? DEFAULT_DRAIN_TIMEOUT_MS;
  return new BoundedDrain(maker, timeoutMs, systemClock, (message) => logger.warn(message));
}

/** Stands in for the maker of a module that was imported without `forRoot()`. @throws InvalidOptionError */
export function refuseToStart(boot: Boot): Promise<never> {
  return boot.step(() => {
    throw new InvalidOptionError(
      'imports',
      'SnowflakeModule',
      'hold the class itself, which has no options',
      'Import SnowflakeModule.forRoot({ … }) or forRootAsync({ … }), once, in the root module.',
    );
  });
}

/** Its maker would hold its lease, and its connection the process, for ever: nobody would stop it. */
function refuseLazyModule(boot: Boot): void {
  if (!boot.hasEnded) return;
  throw new InvalidOptionError(
    'imports',
    'SnowflakeModule',
    'are of a module that is loaded lazily, whose worker ID nobody would give back',
    'Import SnowflakeModule where the app boots, e.g. in the root module; lazy modules can inject its makers.',
  );
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
