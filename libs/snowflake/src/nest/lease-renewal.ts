import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { isMissingPackage } from '../kit/missing-package.js';
import { Boot } from '../kit/nest/boot.js';
import { Lifecycle } from '../kit/nest/lifecycle.js';
import { optionalProvider } from '../kit/nest/optional-provider.js';
import type { SnowflakeIdMaker } from '../maker/snowflake-id-maker.js';
import { INSTANCE_NAME } from './snowflake.tokens.js';

/**
 * The timer of renewals in a Nest app: an interval that calls `renew()` of the module's ID maker. In an app with ScheduleModule, the
 * SchedulerRegistry of @nestjs/schedule lists it as `snowflake:lease:<name>`.
 *
 * This class decides nothing about a lease: `lease/lease-schedule.ts` has the interval. What a renewal does begins in
 * `lease/lease-keeper.ts`, whose `renew()` passes the event `due` to the table in `lease/lease-machine.ts`. CONTRIBUTING.md lists the
 * files from there to the store and back.
 *
 * The app may delete the interval, and @nestjs/schedule does so while requests still drain. The maker's own timer takes over if
 * `renew()` is late by `callTimeoutMs`, so the lease is renewed until the maker stops.
 */
@Injectable()
export class LeaseRenewal implements OnModuleInit {
  private readonly intervalName: string;

  constructor(
    @Inject(INSTANCE_NAME) name: string,
    @Inject(Lifecycle) private readonly lifecycle: Lifecycle<SnowflakeIdMaker>,
    @Inject(ModuleRef) private readonly moduleRef: ModuleRef,
    @Inject(Boot) private readonly boot: Boot,
  ) {
    this.intervalName = `snowflake:lease:${name}`;
  }

  /** Begins when the SchedulerRegistry exists. The maker renews by itself until then. */
  onModuleInit(): Promise<void> {
    return this.boot.step(() => this.begin());
  }

  private async begin(): Promise<void> {
    const { made: maker } = this.lifecycle;
    if (maker?.renewEveryMs === undefined) return;
    const registry = await optionalProvider<SchedulerRegistry>(this.moduleRef, loadSchedulerRegistry);
    const interval = setInterval(() => void maker.renew(), maker.renewEveryMs).unref();
    maker.subscribe((event) => {
      if (event.type !== 'state' || event.to !== 'stopped') return;
      clearInterval(interval);
      if (registry?.doesExist('interval', this.intervalName)) registry.deleteInterval(this.intervalName);
    });
    registry?.addInterval(this.intervalName, interval);
  }
}

/** What is used of SchedulerRegistry. Its own type would be needed by users without @nestjs/schedule. */
interface SchedulerRegistry {
  addInterval(name: string, interval: NodeJS.Timeout): void;
  deleteInterval(name: string): void;
  doesExist(type: 'interval', name: string): boolean;
}

async function loadSchedulerRegistry() {
  try {
    return (await import('@nestjs/schedule')).SchedulerRegistry;
  } catch (error) {
    // An installed package that can't be loaded is a fault of the installation, which the app would not notice.
    if (isMissingPackage('@nestjs/schedule', error)) return undefined;
    throw error;
  }
}
