/**
 * What the packages of this project share and that needs no framework. It is not API and has no semver: any release can
 * change it.
 *
 * @module
 */
export { isPrefix } from './core/codecs/prefixed-codec.js';
export { CODEC_NAMES, codecNamed, type CodecName } from './core/codecs/text-codecs.js';
export { seeDocs } from './core/see-docs.js';
export { type ForeignNumber, ForeignShare } from './core/finding/foreign-numbers.js';
export { type IdInLine, IdsInLine, isInRange } from './core/finding/ids-in-line.js';
export { layoutDifference } from './core/errors/layout-difference.js';
export { safeCopy, safeReason } from './core/errors/foreign-error.js';
export { Redaction, UNKNOWN_SECRETS } from './core/errors/redaction.js';
export { REDACTED, safeValue, showValue } from './core/errors/show-value.js';
export { layoutOf } from './core/layout/layout-of.js';
export { instantMs } from './core/layout/instant.js';
export { editsBetween, nearestName } from './core/options/nearest-name.js';
export {
  requireBoolean,
  requireClock,
  requireFunction,
  requireMethods,
  requireObject,
  requireOptions,
  requireWholeNumber,
} from './core/options/option-checks.js';
export { namingOwner } from './core/options/option-owner.js';
export {
  callback,
  type Checked,
  checkedBy,
  checkedOptions,
  checkedValues,
  flag,
  oneOf,
  type OptionRule,
  type OptionRules,
  text,
  unchecked,
  wholeNumber,
  withMethods,
} from './core/options/option-rule.js';
export { isSpaceName, spaceName } from './core/options/space-name.js';
export { memoryOf, oneInProcess, sharedByOtherVersions, sharedInProcess } from './core/process-memory.js';
export { otherVersion } from './kit/database-adapters.js';
export { credentialsIn, credentialsOfClient } from './kit/credentials.js';
export { isMissingPackage } from './kit/missing-package.js';
export { deadlineIn, DEFAULT_CALL_TIMEOUT_MS, GRACE_MS, settledWithin } from './lease/call-deadline.js';
export { hasLayout, type IdOrigin, idOrigin } from './lease/id-origin.js';
export { keeperSettings, type KeeperSettings, sharedRequest } from './lease/keeper-settings.js';
export { workerRangeOf } from './lease/namespace-fingerprint.js';
export { isEmptyRegistry } from './lease/registry-overview.js';
export { asSnowflakeError, type CalledStore, StoreCaller } from './lease/store-caller.js';
export { closeStore, type OwnedStore, takeStore } from './lease/store-use.js';
export { Turns } from './lease/turns.js';
export { processEnvironment } from './maker/process-environment.js';
export { CallMeter, type MeasuredCall } from './kit/call-meter.js';
export { requireModuleOptions } from './nest/module-options.js';
export { type ContractCase, declareContract } from './stores/port/declare-contract.js';
export { checkLeaseRequest, checkReleaseRequest } from './stores/check-request.js';
export { LocalWindowStore } from './stores/local-window/local-window-store.js';
export { NAMESPACE, NAMESPACE_IN_PATH } from './stores/namespace.js';
export { EtcdConnection } from './stores/etcd/etcd-lease-store.js';
export { requireEtcdUrl } from './stores/etcd/etcd-options.js';
export { ZookeeperConnection } from './stores/zookeeper/zookeeper-lease-store.js';
export { requireConnectString } from './stores/zookeeper/zookeeper-options.js';
export { requireRedisUrl } from './stores/redis/redis-url.js';
export { LEASE_TABLES, type LeaseTableName } from './stores/sql/lease-tables.js';
export { describeSql } from './stores/sql/sql-lease-store.js';
export type { SqlSettings } from './stores/sql/sql-options.js';
export { showsOptions, STORE_OPTIONS } from './stores/store-options.js';
