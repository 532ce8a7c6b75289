import { showValue } from 'nestjs-snowflake/kit';
import { isEmptyRegistry } from 'nestjs-snowflake/kit';
import type { KeeperSettings } from 'nestjs-snowflake/kit';
import type { RegistrySnapshot } from 'nestjs-snowflake/standalone';
import { durationText } from '../workers/duration-text.js';
import { workerRangeOf } from 'nestjs-snowflake/kit';
import { type Neighbours, neighboursText } from '../stores/neighbours.js';
import { type Finding, finding } from './findings.js';

const NEARLY_FULL = 0.8;
const MOST_NAMED = 8;

/** What the registry of a namespace is compared with. */
export interface ComparedWith {
  /** Absent without the options of an app. */
  readonly settings?: KeeperSettings;
  /** The history ID of the server at present, if it is known. */
  readonly historyId?: string;
  /** The other namespaces of the server, if it shows them. */
  readonly beside?: Neighbours;
}

/** Compares the registry of a namespace with the app and the server. */
export function examineNamespace(snapshot: RegistrySnapshot, compared: ComparedWith): Finding[] {
  const ignoresLoss = compared.settings?.possibleLoss === 'ignore';
  if (isEmptyRegistry(snapshot)) return empty(compared.beside, ignoresLoss);
  return [
    ...damage(snapshot),
    ...layout(snapshot, compared.settings),
    ...timing(snapshot, compared.settings),
    ...room(snapshot, compared.settings),
    ...(ignoresLoss ? [] : wait(snapshot, compared.historyId)),
  ];
}

function damage({ unreadable = [] }: RegistrySnapshot): Finding[] {
  if (unreadable.length === 0) return [];
  const fields = unreadable.slice(0, MOST_NAMED).map(({ field, stored }) => `${field}: ${showValue(stored)}`);
  const rest = unreadable.length - fields.length;
  const more = rest > 0 ? `, and ${rest} more` : '';
  return [finding('REGISTRY_UNREADABLE', `Unreadable fields of the registry: ${fields.join(', ')}${more}.`)];
}

/** Beside others, an empty namespace may be misspelled. Its initialization would make a second ID space. */
function empty(beside: Neighbours | undefined, ignoresLoss: boolean): Finding[] {
  const others = beside ? neighboursText(beside) : '';
  if (beside === undefined || others === '')
    return ignoresLoss ? [] : [finding('NAMESPACE_NEW', 'The namespace is empty: new, or wiped.')];
  const {
    namespace,
    nearest,
    others: [first],
  } = beside;
  const problem = `The namespace ${namespace} is empty: new, misspelled or wiped. ${others}`;
  const correct =
    nearest === undefined
      ? 'Compare it with the namespace of the processes whose IDs must differ from those of this app.'
      : `Probably it should be ${nearest}: correct it. Two spellings make two ID spaces with equal IDs.`;
  const remedy = `${correct} Only if it is an ID space of its own, run nestjs-snowflake init --new-beside ${nearest ?? first}.`;
  return [finding('NAMESPACE_NEW', problem, { remedy })];
}

function layout({ layout: stored }: RegistrySnapshot, settings?: KeeperSettings): Finding[] {
  if (settings === undefined || stored === undefined || stored === settings.fingerprint) return [];
  return [
    finding('LAYOUT_DIFFERS', `The namespace has "${stored}", but the app has "${settings.fingerprint}".`),
  ];
}

function timing(snapshot: RegistrySnapshot, settings?: KeeperSettings): Finding[] {
  if (settings === undefined) return [];
  const pairs = [
    ['windowMs', settings.windowMs, snapshot.longestWindowMs],
    ['maxSkewMs', settings.maxSkewMs, snapshot.longestMaxSkewMs],
  ] as const;
  const different = pairs.filter(([, own, stored]) => stored !== undefined && stored !== own);
  if (different.length === 0) return [];
  const values = different.map(([name, own, stored]) => `${name} is ${own}, and ${stored} in the namespace`);
  return [finding('TIMING_DIFFERS', `${values.join('; ')}.`)];
}

function room({ rows, storeNowMs, layout: stored }: RegistrySnapshot, settings?: KeeperSettings): Finding[] {
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

function wait({ grantsAfterMs = 0, historyId, storeNowMs }: RegistrySnapshot, present?: string): Finding[] {
  if (grantsAfterMs >= storeNowMs) {
    const left = durationText(grantsAfterMs - storeNowMs);
    return [finding('GRANTS_WAIT', `The namespace grants no worker ID for another ${left}.`)];
  }
  if (present === undefined || present === historyId) return [];
  const problem =
    'The history of the server has changed since the last call: it restarted, was restored or was replaced. The next ' +
    'process that starts begins the wait.';
  return [finding('GRANTS_WAIT', problem)];
}
