import type { LeaseEvent } from '../lease/index.js';

/**
 * The events that reach `@OnEvent()`: the type of the payload by the name of the event. Each name is `snowflake.` and the
 * `type` of a LeaseEvent.
 *
 * ```ts
 * @OnEvent('snowflake.acquired' satisfies SnowflakeEventName)
 * note({ instance, workerId }: SnowflakeEvents['snowflake.acquired']): void { … }
 * ```
 */
export type SnowflakeEvents = {
  readonly [Type in LeaseEvent['type'] as `snowflake.${Type}`]: Extract<
    LeaseEvent,
    { readonly type: Type }
  > & {
    /** Name of the instance; `default` for the one without a name. */
    readonly instance: string;
  };
};

/** The name of an event in {@link SnowflakeEvents}, such as `snowflake.acquired`. */
export type SnowflakeEventName = keyof SnowflakeEvents;
