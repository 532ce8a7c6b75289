/**
 * What the packages of this project share and that needs no framework. It is not API and has no semver: any release can
 * change it.
 *
 * @module
 */
export { isPrefix } from './core/codecs/prefixed-codec.js';
export { CODEC_NAMES, codecNamed, type CodecName } from './core/codecs/text-codecs.js';
export { safeCopy, safeReason } from './core/errors/foreign-error.js';
export { type Redaction, UNKNOWN_SECRETS } from './core/errors/redaction.js';
export { REDACTED, safeValue, showValue } from './core/errors/show-value.js';
export { layoutOf } from './core/layout/layout-of.js';
export { instantMs } from './core/layout/layout-validation.js';
export { editsBetween } from './core/options/nearest-name.js';
export {
  requireBoolean,
  requireChoice,
  requireFunction,
  requireMethods,
  requireOptions,
  requireWholeNumber,
} from './core/options/option-checks.js';
export { namingOwner } from './core/options/option-owner.js';
export { isSpaceName } from './core/options/space-name.js';
export { credentialsIn, credentialsOfClient } from './kit/credentials.js';
export { dataSourceOptions, databaseOfUrl } from './kit/sql/database/database-choice.js';
export type { LossySetting } from './kit/sql/dialects/dialect.js';
export { kindOf, requireSharedDatabase } from './kit/sql/dialects/dialects.js';
export { means, NoHistory, refusalSubject, type RefusalSubject, toStoreError } from './kit/sql/errors.js';
export { lossySettingsOf, showDurable, showLossy } from './kit/sql/history/lossy-settings.js';
export { askHistory } from './kit/sql/history/server-history.js';
export { SqlSession } from './kit/sql/session.js';
export { type SqlRow, type SqlValue, type Statements, statementsOver } from './kit/sql/statements.js';
export { createMissingTables, hasTables } from './kit/sql/tables/create-tables.js';
export { createByMigration, dropByMigration } from './kit/sql/tables/tables-migration.js';
export { placeOf, requireLockableTables } from './kit/sql/tables/tables-on-server.js';
export { defineTables, type SqlPlace, type TableSet } from './kit/sql/tables/tables.js';
export { settledWithin } from './lease/call-deadline.js';
export { keeperSettings, type KeeperSettings } from './lease/keeper-settings.js';
export { workerRangeOf } from './lease/namespace-fingerprint.js';
export { isEmptyRegistry } from './lease/registry-overview.js';
export { asSnowflakeError } from './lease/store-caller.js';
export { processEnvironment } from './maker/process-environment.js';
export { requireModuleOptions } from './nest/module-options.js';
export { SEGMENT_TABLES } from './segments/sql/segment-tables.js';
export { requireNamespace } from './stores/namespace.js';
export { requireRedisUrl } from './stores/redis/redis-options.js';
export { LEASE_TABLES, type LeaseTableName } from './stores/sql/lease-tables.js';
export { describeSql } from './stores/sql/sql-lease-store.js';
export type { SqlSettings } from './stores/sql/sql-options.js';
export { showsOptions, STORE_OPTIONS } from './stores/store-options.js';
