import { type ConfigurableModuleAsyncOptions, Logger } from '@nestjs/common';
import { Boot, type DeferredOptions, featureModule, Lifecycle } from 'nestjs-snowflake/kit-nest';
import { CallMeter } from 'nestjs-snowflake/kit';
import { AccessGuard } from '../http/access.guard.js';
import { idsController } from '../http/ids.controller.js';
import { leasesController } from '../http/leases.controller.js';
import { MeasuredCalls } from '../http/measured-calls.js';
import { ProblemFilter } from '../http/problem.filter.js';
import { ServedMakers } from '../http/served-makers.js';
import { ServedLeases } from '../leases/served-leases.js';
import { describeRoutes } from '../openapi/describe-routes.js';
import { ID_ROUTES } from '../openapi/id-routes.js';
import { LEASE_ROUTES } from '../openapi/lease-routes.js';
import {
  checkServiceOptions,
  checkServicePath,
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

export const serviceFeature = featureModule<
  SnowflakeServiceOptions,
  'createSnowflakeServiceOptions',
  SnowflakeServiceExtras
>({
  name: 'SnowflakeService',
  optionsToken: OPTIONS,
  factoryMethod: 'createSnowflakeServiceOptions',
  extras: { path: undefined },
  remedy: "Pass at least authorize, e.g. { authorize: bearerTokens([{ token, scopes: ['ids'] }]) }.",
  define({ path }) {
    const checked = checkServicePath(path);
    const [leases, ids] = [leasesController(checked), idsController(checked)];
    const settingsOf = async (
      optionsOf: DeferredOptions<SnowflakeServiceOptions>,
      boot: Boot,
    ): Promise<ServiceSettings> => {
      await describeRoutes(leases, LEASE_ROUTES);
      await describeRoutes(ids, ID_ROUTES);
      const options = await optionsOf();
      return boot.step(() => checkServiceOptions(options));
    };
    return {
      controllers: [leases, ids],
      providers: [
        { provide: SERVICE_SETTINGS, useFactory: settingsOf, inject: [OPTIONS, Boot] },
        { provide: ServedLeases, useFactory: openedLeases, inject: [SERVICE_SETTINGS, Boot, Lifecycle] },
        { provide: CallMeter, useFactory: () => new CallMeter() },
        Lifecycle,
        AccessGuard,
        MeasuredCalls,
        ProblemFilter,
        ServedMakers,
      ],
    };
  },
});
