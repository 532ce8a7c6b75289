import type { ModulesContainer } from '@nestjs/core';
import { providersIn } from '../kit/nest/providers.js';
import type { RenewalSchedule } from '../lease/renewal-schedule.js';

/** The part of `SchedulerRegistry` of @nestjs/schedule that is used here. */
interface IntervalRegistry {
  addInterval(name: string, interval: NodeJS.Timeout): void;
  deleteInterval(name: string): void;
  doesExist(type: 'interval', name: string): boolean;
}

const REGISTRY_METHODS = ['addInterval', 'deleteInterval', 'doesExist'] satisfies (keyof IntervalRegistry)[];

/** Calls for renewals from an interval in the SchedulerRegistry of @nestjs/schedule, where the app can list it. */
export class RegistrySchedule implements RenewalSchedule {
  constructor(
    private readonly registry: IntervalRegistry,
    readonly intervalName: string,
  ) {}

  start(everyMs: number, task: () => void): void {
    this.stop();
    this.registry.addInterval(this.intervalName, setInterval(task, everyMs).unref());
  }

  stop(): void {
    if (this.registry.doesExist('interval', this.intervalName))
      this.registry.deleteInterval(this.intervalName);
  }
}

/**
 * Finds the SchedulerRegistry of an app that uses @nestjs/schedule. The library imports neither the package, which is
 * optional, nor its module: a second `ScheduleModule.forRoot()` would run every job of the app twice.
 */
export function findIntervalRegistry(modules: ModulesContainer): IntervalRegistry | undefined {
  for (const instance of providersIn(modules)) {
    if (isIntervalRegistry(instance)) return instance;
  }
  return undefined;
}

/** Apps have classes of that name too. */
function isIntervalRegistry(instance: object): instance is IntervalRegistry {
  return (
    instance.constructor?.name === 'SchedulerRegistry' &&
    REGISTRY_METHODS.every((method) => typeof Reflect.get(instance, method) === 'function')
  );
}
