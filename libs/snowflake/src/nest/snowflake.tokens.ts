import { Inject } from '@nestjs/common';
import { DEFAULT_INSTANCE } from '../core/ids/id-source-name.js';
import { InvalidOptionError } from '../core/errors/input-errors.js';
import { VERSION } from '../core/version.js';
import { SnowflakeIdMaker } from '../maker/snowflake-id-maker.js';

const INSTANCE_NAME_PATTERN = /^[\w.-]{1,64}$/;

/** Tokens within a module: the name of its instance, and an alias of what that name injects. All copies of the library know them. */
export const INSTANCE_NAME = Symbol.for(`nestjs-snowflake@${VERSION}: instance name`);
export const MAKER = Symbol.for(`nestjs-snowflake@${VERSION}: maker`);

/**
 * Returns the injection token of an instance: the class `SnowflakeIdMaker` for the default one, a string for a named one. Use it
 * in the `inject` of a factory, and in `overrideProvider()`.
 *
 * @param name the name of the instance: 1 to 64 letters, digits, `_`, `.` or `-`. Default: `default`
 * @throws InvalidOptionError if `name` has another form
 * @example
 * ```ts
 * const auditLog: FactoryProvider = {
 *   provide: AuditLog,
 *   inject: [getSnowflakeToken('audit')],
 *   useFactory: (ids: SnowflakeIdMaker) => new AuditLog(ids),
 * };
 * ```
 */
export function getSnowflakeToken(name: string = DEFAULT_INSTANCE): typeof SnowflakeIdMaker | string {
  requireInstanceName('name', name);
  return name === DEFAULT_INSTANCE ? SnowflakeIdMaker : `SnowflakeIdMaker:${name}`;
}

/** Returns `name` if an instance can have it. @throws InvalidOptionError */
export function requireInstanceName(option: string, name: string): string {
  if (typeof name === 'string' && INSTANCE_NAME_PATTERN.test(name)) return name;
  throw new InvalidOptionError(
    option,
    name,
    'is not a valid instance name',
    'Use 1 to 64 letters, digits, _, . or -.',
  );
}

/**
 * Injects the {@link SnowflakeIdMaker} that was registered under `name`. The default one needs no decorator, because its token is
 * its class.
 *
 * @param name the name of the instance. Default: `default`
 * @throws InvalidOptionError if `name` is not a valid name
 * @example
 * ```ts
 * export class AuditLog {
 *   constructor(@InjectSnowflake('audit') private readonly ids: SnowflakeIdMaker) {}
 *
 *   newEntryId(): string {
 *     return this.ids.nextId();
 *   }
 * }
 * ```
 */
export const InjectSnowflake = (name?: string): PropertyDecorator & ParameterDecorator =>
  Inject(getSnowflakeToken(name));
