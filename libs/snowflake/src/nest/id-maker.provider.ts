import type { ModulesContainer } from '@nestjs/core';
import { redact } from '../core/errors/show-value.js';
import { DuplicateInstanceError, InvalidOptionError, systemClock } from '../core/index.js';
import { SnowflakeIdMaker } from '../maker/index.js';
import type { Boot } from './boot.js';
import { BoundedDrain, DRAIN_TIMEOUT_MS } from './bounded-drain.js';
import { registeredNames } from './instances.js';
import { InstanceLogger } from './instance-logger.js';
import { LeaseLogger } from './lease-logger.js';
import { type DeferredOptions, requireModuleOptions, type SnowflakeModuleOptions } from './module-options.js';
import type { OwnMaker } from './own-maker.js';

/** Makes the ID maker of a module and awaits its first lease: an app that boots can issue IDs. */
export async function startedIdMaker(
  given: SnowflakeModuleOptions | DeferredOptions,
  name: string,
  modules: ModulesContainer,
  boot: Boot,
  own: OwnMaker,
): Promise<SnowflakeIdMaker> {
  // Not in the step below: if the boot fails meanwhile, no maker may start.
  const options = typeof given === 'function' ? await given() : given;
  return boot.step(async () => {
    refuseLazyModule(boot);
    assertDistinctNames(modules);
    if (typeof options !== 'object' || options === null) {
      const remedy = 'Return an object from useFactory.';
      throw new InvalidOptionError('options', redact(options), 'are missing', remedy);
    }
    const maker = new SnowflakeIdMaker(requireModuleOptions(options));
    boot.add(maker);
    new LeaseLogger(name, maker).start();
    await maker.start();
    own.adopt(maker, boundedDrain(maker, name, options));
    return maker;
  });
}

function boundedDrain(maker: SnowflakeIdMaker, name: string, options: SnowflakeModuleOptions): BoundedDrain {
  const logger = new InstanceLogger(name);
  const timeoutMs = DRAIN_TIMEOUT_MS.check('drainTimeoutMs', options.drainTimeoutMs);
  return new BoundedDrain(maker, timeoutMs, systemClock, (message) =>
    logger.write('warn', message, { workerId: maker.status().workerId }),
  );
}

/** Refuses to boot with a module that was imported without `forRoot()`. @throws InvalidOptionError */
export function refuseToStart(boot: Boot): Promise<never> {
  return boot.step(() => {
    throw new InvalidOptionError(
      'imports',
      'SnowflakeModule',
      'lists the class itself, which has no options',
      'Import SnowflakeModule.forRoot({ … }) or forRootAsync({ … }), once, in the root module.',
    );
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
 * checks all names before it acquires a lease, so that a refused boot leaves none behind.
 */
function assertDistinctNames(modules: ModulesContainer): void {
  const names = registeredNames(modules);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) throw new DuplicateInstanceError(repeated);
}
