import { type ConfigurableModuleAsyncOptions, Logger } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import {
  Boot,
  type DeferredOptions,
  featureModule,
  Lifecycle,
  optionalProvider,
} from 'nestjs-snowflake/kit-nest';
import { AccessGuard } from '../http/access.guard.js';
import { idsController } from '../http/ids.controller.js';
import { leasesController } from '../http/leases.controller.js';
import { segmentsController } from '../http/segments.controller.js';
import { ProblemFilter } from '../http/problem.filter.js';
import { ServedMakers } from '../ids/served-makers.js';
import { ServedSegments } from '../segments/served-segments.js';
import { ServedLeases } from '../leases/served-leases.js';
import {
  checkServiceOptions,
  checkServicePath,
  checkServiceTransport,
  type ServiceSettings,
  type SnowflakeServiceExtras,
  type SnowflakeServiceOptions,
} from '../settings/service-options.js';
import { SERVICE_SETTINGS } from '../settings/service-tokens.js';

/** A class that provides the options, for `forRootAsync({ useClass })` and `useExisting`. */
export interface SnowflakeServiceOptionsFactory {
  createSnowflakeServiceOptions(): SnowflakeServiceOptions | Promise<SnowflakeServiceOptions>;
}

/** What `forRootAsync` takes: the source of the options, and the path. */
export type SnowflakeServiceAsyncOptions = ConfigurableModuleAsyncOptions<
  SnowflakeServiceOptions,
  'createSnowflakeServiceOptions'
> &
  SnowflakeServiceExtras;

const OPTIONS = Symbol('nestjs-snowflake-service: options');

async function checkedSettings(
  optionsOf: DeferredOptions<SnowflakeServiceOptions>,
  boot: Boot,
): Promise<ServiceSettings> {
  const options = await optionsOf();
  return boot.step(() => checkServiceOptions(options));
}

async function openedLeases(
  { leases, callTimeoutMs, drainTimeoutMs }: ServiceSettings,
  boot: Boot,
  lifecycle: Lifecycle<ServedLeases>,
): Promise<ServedLeases> {
  return boot.step(async () => {
    const logger = new Logger('SnowflakeService');
    const warn = (message: string): void => logger.warn(message);
    const served = new ServedLeases(leases, callTimeoutMs, warn);
    boot.onFailure(() => served.stop());
    await served.start();
    lifecycle.adopt(served, { drainTimeoutMs, warn, ending: 'The stores of leases are closed.' });
    return served;
  });
}

function servedSegments(settings: ServiceSettings, moduleRef: ModuleRef): ServedSegments {
  return new ServedSegments(() => optionalProvider(moduleRef, 'SegmentModule', loadSegments), settings);
}

const loadSegments = async () => (await import('nestjs-snowflake-segments')).Segments;

export const serviceFeature = featureModule<
  SnowflakeServiceOptions,
  'createSnowflakeServiceOptions',
  SnowflakeServiceExtras
>({
  name: 'SnowflakeService',
  optionsToken: OPTIONS,
  factoryMethod: 'createSnowflakeServiceOptions',
  extras: { path: undefined, grpc: undefined },
  remedy: "Pass at least authorize, e.g. { authorize: bearerTokens([{ token, scopes: ['ids'] }]) }.",
  define({ path, grpc }) {
    const checked = checkServicePath(path);
    const transport = checkServiceTransport(grpc);
    return {
      controllers: [
        leasesController(checked),
        idsController(checked),
        segmentsController(checked),
        ...transport.controllers,
      ],
      providers: [
        { provide: SERVICE_SETTINGS, useFactory: checkedSettings, inject: [OPTIONS, Boot] },
        { provide: ServedLeases, useFactory: openedLeases, inject: [SERVICE_SETTINGS, Boot, Lifecycle] },
        { provide: ServedSegments, useFactory: servedSegments, inject: [SERVICE_SETTINGS, ModuleRef] },
        Lifecycle,
        AccessGuard,
        ProblemFilter,
        ServedMakers,
        ...transport.providers,
      ],
    };
  },
});
