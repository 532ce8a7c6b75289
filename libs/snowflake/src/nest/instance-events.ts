import { Injectable, Module, type OnApplicationBootstrap } from '@nestjs/common';
import type { LeaseEvent } from '../lease/index.js';
import type { SnowflakeIdMaker } from '../maker/index.js';

/** How many events of a boot are kept. A boot that waits for its store has few: most come once per outage or reason. */
const KEPT_EVENTS = 100;

/** An event of the lease, and the name of the instance that it belongs to. */
export type InstanceEvent = LeaseEvent & { readonly instance: string };

type InstanceListener = (event: InstanceEvent) => void;

/**
 * Passes on the events of all ID makers of an app. A maker acquires its first lease before any other provider can
 * subscribe to it, so the events of the boot are kept until the boot ends.
 */
@Injectable()
export class InstanceEvents implements OnApplicationBootstrap {
  private readonly listeners: InstanceListener[] = [];
  private ofBoot: InstanceEvent[] | undefined = [];

  /** Passes on the events of `maker` from now on. */
  add(instance: string, maker: SnowflakeIdMaker): void {
    maker.subscribe((event) => this.publish({ ...event, instance }));
  }

  /** Calls `listener`, on the kept events and on all that follow. */
  subscribe(listener: InstanceListener): void {
    this.ofBoot?.forEach(listener);
    this.listeners.push(listener);
  }

  /** Drops the events of the boot. */
  onApplicationBootstrap(): void {
    this.ofBoot = undefined;
  }

  private publish(event: InstanceEvent): void {
    this.ofBoot?.push(event);
    if (this.ofBoot && this.ofBoot.length > KEPT_EVENTS) this.ofBoot.shift();
    for (const listener of this.listeners) listener(event);
  }
}

/** Provides one per app, as {@link BootModule} does. */
@Module({ providers: [InstanceEvents], exports: [InstanceEvents] })
export class InstanceEventsModule {}
