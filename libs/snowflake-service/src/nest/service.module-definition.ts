import { type ConfigurableModuleAsyncOptions, Logger, type Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { CallMeter } from 'nestjs-snowflake/internal/kit/call-meter';
import { requireBoolean } from 'nestjs-snowflake/internal/core/options/option-checks';
import { Boot } from 'nestjs-snowflake/internal/kit/nest/boot';
import { featureModule } from 'nestjs-snowflake/internal/kit/nest/feature-module';
import { fromOptions } from 'nestjs-snowflake/internal/kit/nest/deferred-options';
import { Lifecycle } from 'nestjs-snowflake/internal/kit/nest/lifecycle';
import { optionalProvider } from 'nestjs-snowflake/internal/kit/nest/optional-provider';
import { AccessGuard } from '../http/access.guard.js';
import { RequestLines } from '../http/answer-in-turn.js';
import { ServedClaims } from '../claims/served-claims.js';
import { claimsController } from '../http/claims.controller.js';
import { idsController } from '../http/ids.controller.js';
import { leafController } from '../http/leaf.controller.js';
import { leasesController } from '../http/leases.controller.js';
import { otherMethodsController } from '../http/other-methods.controller.js';
import { MeasuredCalls } from '../http/measured-calls.js';
import { segmentsController } from '../http/segments.controller.js';
import { SnowflakeProblemFilter } from '../http/problem.filter.js';
import { ServedMakers } from '../ids/served-makers.js';
import { ServedSegments } from '../segments/served-segments.js';
import { ServedLeases } from '../leases/served-leases.js';
import { describeRoutes } from '../openapi/describe-routes.js';
import { CLAIM_ROUTES } from '../openapi/claim-routes.js';
import { ID_ROUTES } from '../openapi/id-routes.js';
import { LEASE_ROUTES } from '../openapi/lease-routes.js';
import type { RouteDescriptions } from '../openapi/route-description.js';
import { SEGMENT_ROUTES } from '../openapi/segment-routes.js';
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

/** The stores that the service passes calls on to. */
class OpenedStores {
  constructor(
    readonly leases: ServedLeases,
    readonly claims: ServedClaims,
  ) {}

  async start(): Promise<void> {
    await this.leases.start();
    await this.claims.start();
  }

  async stop(): Promise<void> {
    await Promise.all([this.leases.stop(), this.claims.stop()]);
  }
}

async function openedStores(
  { leases, segments, callTimeoutMs, drainTimeoutMs }: ServiceSettings,
  boot: Boot,
  lifecycle: Lifecycle<OpenedStores>,
): Promise<OpenedStores> {
  return boot.step(() => {
    const logger = new Logger('SnowflakeService');
    const warn = (message: string): void => logger.warn(message);
    const stores = new OpenedStores(
      new ServedLeases(leases, callTimeoutMs, warn),
      new ServedClaims(segments, callTimeoutMs, warn),
    );
    return lifecycle.start(stores, { drainTimeoutMs, warn, ending: 'The stores of the service are closed.' });
  });
}

function servedSegments(settings: ServiceSettings, moduleRef: ModuleRef): ServedSegments {
  return new ServedSegments(() => optionalProvider(moduleRef, loadSegments), settings);
}

async function loadSegments() {
  try {
    return (await import('nestjs-snowflake-segments')).Segments;
  } catch {
    return undefined;
  }
}

export const serviceFeature = featureModule<
  SnowflakeServiceOptions,
  'createSnowflakeServiceOptions',
  SnowflakeServiceExtras
>({
  name: 'SnowflakeService',
  optionsToken: OPTIONS,
  factoryMethod: 'createSnowflakeServiceOptions',
  extras: { path: undefined, leafAddresses: undefined, grpc: undefined },
  remedy: "Pass at least authorize, e.g. { authorize: bearerTokens([{ token, scopes: ['ids'] }]) }.",
  define({ path, leafAddresses = false, grpc }) {
    const checked = checkServicePath(path);
    const routes: readonly (readonly [Type<object>, RouteDescriptions])[] = [
      [leasesController(checked), LEASE_ROUTES],
      [claimsController(checked), CLAIM_ROUTES],
      [idsController(checked), ID_ROUTES],
      [segmentsController(checked), SEGMENT_ROUTES],
    ];
    const otherMethods = otherMethodsController(checked);
    const leaf = requireBoolean('leafAddresses', leafAddresses) ? [leafController()] : [];
    const transport = checkServiceTransport(grpc);
    const settingsOf = async (options: SnowflakeServiceOptions): Promise<ServiceSettings> => {
      await describeRoutes(routes, [otherMethods, ...leaf]);
      return checkServiceOptions(options);
    };
    return {
      controllers: [
        ...routes.map(([controller]) => controller),
        otherMethods,
        ...leaf,
        ...transport.controllers,
      ],
      providers: [
        fromOptions(OPTIONS, { provide: SERVICE_SETTINGS, useFactory: settingsOf }),
        { provide: OpenedStores, useFactory: openedStores, inject: [SERVICE_SETTINGS, Boot, Lifecycle] },
        { provide: ServedLeases, useFactory: ({ leases }: OpenedStores) => leases, inject: [OpenedStores] },
        { provide: ServedClaims, useFactory: ({ claims }: OpenedStores) => claims, inject: [OpenedStores] },
        { provide: ServedSegments, useFactory: servedSegments, inject: [SERVICE_SETTINGS, ModuleRef] },
        { provide: CallMeter, useFactory: () => new CallMeter('service') },
        Lifecycle,
        AccessGuard,
        MeasuredCalls,
        SnowflakeProblemFilter,
        RequestLines,
        ServedMakers,
        ...transport.providers,
      ],
    };
  },
});
