import { Inject, Logger, Module, type OnModuleInit, type Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { EventEmitter2, EventEmitterReadinessWatcher } from '@nestjs/event-emitter';
import { safeCopy } from '../core/errors/foreign-error.js';
import { InvalidOptionError } from '../core/index.js';
import { BootModule } from '../kit/nest/boot.module.js';
import { Boot } from '../kit/nest/boot.js';
import { type InstanceEvent, InstanceEvents, InstanceEventsModule } from '../nest/instance-events.js';
import type { SnowflakeEventName } from './snowflake-events.js';

/**
 * Passes the events of all ID makers of the app to `@nestjs/event-emitter`, as {@link SnowflakeEvents}. The events of the
 * boot follow when the listeners of the app are loaded.
 *
 * ```ts
 * @Module({ imports: [EventEmitterModule.forRoot(), SnowflakeModule.forRoot({ … }), SnowflakeEventEmitterModule] })
 * ```
 *
 * Import EventEmitterModule before SnowflakeModule. Nest shuts modules down in the reverse order, and a worker ID must be
 * released while listeners still exist.
 */
@Module({ imports: [BootModule, InstanceEventsModule] })
export class SnowflakeEventEmitterModule implements OnModuleInit {
  private readonly logger = new Logger(SnowflakeEventEmitterModule.name);
  @Inject(ModuleRef) private readonly moduleRef!: ModuleRef;
  @Inject(Boot) private readonly boot!: Boot;
  @Inject(InstanceEvents) private readonly events!: InstanceEvents;

  /** Subscribes before the boot ends. @throws InvalidOptionError if the app has no EventEmitterModule */
  onModuleInit(): Promise<void> {
    return this.boot.step(() => {
      const emitter = this.find(EventEmitter2);
      const listenersAreLoaded = this.find(EventEmitterReadinessWatcher).waitUntilReady();
      this.events.subscribe((event) => void listenersAreLoaded.then(() => this.emit(emitter, event)));
    });
  }

  /** The maker ignores what its listeners throw, but developers must see it. */
  private async emit(emitter: EventEmitter2, event: InstanceEvent): Promise<void> {
    const name: SnowflakeEventName = `snowflake.${event.type}`;
    try {
      await emitter.emitAsync(name, event);
    } catch (error) {
      const { message, stack } = safeCopy(error);
      this.logger.error(`A listener of ${name} failed: ${message}`, stack);
    }
  }

  /** Finds a provider of EventEmitterModule, which an app may have made local to another module. */
  private find<Provided>(provider: Type<Provided>): Provided {
    try {
      return this.moduleRef.get(provider, { strict: false });
    } catch {
      throw new InvalidOptionError(
        'imports',
        SnowflakeEventEmitterModule.name,
        'finds no EventEmitterModule in the app',
        'Import EventEmitterModule.forRoot() in the root module, before SnowflakeModule.',
      );
    }
  }
}
