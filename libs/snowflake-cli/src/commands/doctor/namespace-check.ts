import { layoutDifference } from 'nestjs-snowflake/internal/core/errors/layout-difference';
import { showValue } from 'nestjs-snowflake/internal/core/errors/show-value';
import type { KeeperSettings } from 'nestjs-snowflake/internal/lease/lease-options';
import { workerRangeOf } from 'nestjs-snowflake/internal/lease/namespace-fingerprint';
import { isEmptyRegistry } from 'nestjs-snowflake/internal/lease/registry-overview';
import type { RegistrySnapshot } from 'nestjs-snowflake/store';
import { durationText } from '../workers/duration-text.js';
import { type Neighbors, neighborsText } from '../stores/neighbors.js';
import { type Finding, finding } from './findings.js';

const NEARLY_FULL = 0.8;
const MAX_SHOWN_FIELDS = 8;

/** What {@link examineNamespace} compares the registry of a namespace with. */
export interface ComparedWith {
  /** Absent without the options of an app. */
  readonly settings?: KeeperSettings;
  /** The history ID of the server at present, if it is known. */
  readonly historyId?: string;
  /** The other namespaces of the server, if it shows them. */
  readonly neighbors?: Neighbors;
}

/** Compares the registry of a namespace with the app and the server. */
export function examineNamespace(snapshot: RegistrySnapshot, compared: ComparedWith): Finding[] {
  const ignoresLoss = compared.settings?.possibleLoss === 'ignore';
  if (isEmptyRegistry(snapshot)) return emptyNamespace(compared.neighbors, ignoresLoss);
  return [
    ...unreadableFields(snapshot),
    ...differentLayout(snapshot, compared.settings),
    ...differentTiming(snapshot, compared.settings),
    ...fewFreeWorkerIds(snapshot, compared.settings),
    ...(ignoresLoss ? [] : waitBeforeGrants(snapshot, compared.historyId)),
  ];
}

function unreadableFields({ unreadable = [] }: RegistrySnapshot): Finding[] {
  if (unreadable.length === 0) return [];
  const fields = unreadable
    .slice(0, MAX_SHOWN_FIELDS)
    .map(({ field, stored }) => `${field}: ${showValue(stored)}`);
  const rest = unreadable.length - fields.length;
  const more = rest > 0 ? `, and ${rest} more` : '';
  return [finding('REGISTRY_UNREADABLE', `Unreadable fields of the registry: ${fields.join(', ')}${more}.`)];
}

/** If other namespaces exist, an empty one may be misspelled. Initializing it would create a second ID space. */
function emptyNamespace(neighbors: Neighbors | undefined, ignoresLoss: boolean): Finding[] {
  if (neighbors === undefined || neighbors.others.length === 0)
    return ignoresLoss
      ? []
      : [finding('NAMESPACE_NEW', 'The namespace is empty: it is new, or it was wiped.')];
  const {
    namespace,
    nearest,
    others: [first],
  } = neighbors;
  const problem = `The namespace ${namespace} is empty: it is new, misspelled, or was wiped. ${neighborsText(neighbors)}`;
  const correct =
    nearest === undefined
      ? 'Compare it with the namespace of the processes whose IDs must differ from the IDs of this app.'
      : `It is probably a misspelling of ${nearest}. Correct it: two spellings are two ID spaces, and their IDs repeat each other.`;
  const remedy = `${correct} Only if it is a separate ID space, run npx nestjs-snowflake-cli init --new-beside ${nearest ?? first}.`;
  return [finding('NAMESPACE_NEW', problem, { remedy })];
}

function differentLayout({ layout: stored }: RegistrySnapshot, settings?: KeeperSettings): Finding[] {
  if (settings === undefined || stored === undefined || stored === settings.fingerprint) return [];
  return [
    finding(
      'LAYOUT_DIFFERS',
      `The app has another layout than its namespace: ${layoutDifference(stored, settings.fingerprint)}.`,
    ),
  ];
}

function differentTiming(snapshot: RegistrySnapshot, settings?: KeeperSettings): Finding[] {
  if (settings === undefined) return [];
  const pairs = [
    ['windowMs', settings.windowMs, snapshot.longestWindowMs],
    ['maxSkewMs', settings.maxSkewMs, snapshot.longestMaxSkewMs],
  ] as const;
  const different = pairs.filter(([, own, stored]) => stored !== undefined && stored !== own);
  if (different.length === 0) return [];
  const values = different.map(
    ([name, own, stored]) => `${name} is ${own} in the app and ${stored} in the namespace`,
  );
  return [finding('TIMING_DIFFERS', `${values.join('; ')}.`)];
}

function fewFreeWorkerIds(
  { rows, storeNowMs, layout: stored }: RegistrySnapshot,
  settings?: KeeperSettings,
): Finding[] {
  const range = settings
    ? { first: settings.firstWorkerId, count: settings.workerCount }
    : workerRangeOf(stored);
  if (range === undefined) return [];
  const held = rows.filter(
    ({ workerId, fencingToken, reservedUntilMs }) =>
      workerId >= range.first &&
      workerId < range.first + range.count &&
      fencingToken !== '' &&
      reservedUntilMs >= storeNowMs,
  ).length;
  const problem = `${held} of ${range.count} worker IDs are held.`;
  if (held >= range.count) return [finding('NAMESPACE_FULL', problem)];
  return held >= range.count * NEARLY_FULL ? [finding('NAMESPACE_NEARLY_FULL', problem)] : [];
}

function waitBeforeGrants(
  { grantsAfterMs = 0, historyId, storeNowMs }: RegistrySnapshot,
  present?: string,
): Finding[] {
  if (grantsAfterMs >= storeNowMs) {
    const left = durationText(grantsAfterMs - storeNowMs);
    return [finding('GRANTS_WAIT', `The namespace grants no worker ID for another ${left}.`)];
  }
  if (present === undefined || present === historyId) return [];
  const problem =
    "The server's history has changed since the last call: the server was restarted, restored or replaced. The wait " +
    'begins when the next process starts.';
  return [finding('GRANTS_WAIT', problem)];
}
