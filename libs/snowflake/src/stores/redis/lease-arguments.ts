import { attemptsOf } from '../../lease/fencing-token.js';
import type { LeaseRequest } from '../../lease/lease-store.js';
import type { ReplicationProof } from './replication-proof.js';

/** The conditions that a server must meet before the store accepts its grants. */
export interface ServerTrust {
  readonly minReplicas: number;
  readonly assumeNoLostWrites: boolean;
}

/** What the `lease` script gets. */
interface LeaseInput extends LeaseRequest, ServerTrust {
  /** The reply of the `prove` script, if replicas must follow. */
  readonly proof: ReplicationProof | undefined;
}

/** One argument: how Lua reads it into a variable, and its text in a call. */
interface Argument {
  readonly variable: string;
  readonly reading: (argv: string) => string;
  readonly text: (input: LeaseInput) => string;
}

const text = (variable: string, value: (input: LeaseInput) => string | undefined): Argument => ({
  variable,
  reading: (argv) => argv,
  text: (input) => value(input) ?? '',
});
/** A number, `nil` in Lua if there is none. */
const number = (variable: string, value: (input: LeaseInput) => number | undefined): Argument => ({
  variable,
  reading: (argv) => `tonumber(${argv})`,
  text: (input) => String(value(input) ?? ''),
});
const flag = (variable: string, value: (input: LeaseInput) => boolean | undefined): Argument => ({
  variable,
  reading: (argv) => `${argv} == '1'`,
  text: (input) => (value(input) ? '1' : '0'),
});

/** The arguments of the `lease` script. {@link LeaseRequest} describes most of them. */
const ARGUMENTS: readonly Argument[] = [
  text('layout', ({ layout }) => layout),
  number('first', ({ firstWorkerId }) => firstWorkerId),
  number('count', ({ workerCount }) => workerCount),
  number('window', ({ windowMs }) => windowMs),
  number('max_skew', ({ maxSkewMs }) => maxSkewMs),
  text('nonce', ({ nonce }) => nonce),
  text('attempts', (request) => attemptsOf(request).join('~')),
  flag('is_retry', ({ retry }) => retry),
  flag('assume_new', ({ assumeNew }) => assumeNew),
  flag('ignore_loss', ({ ignoreLoss }) => ignoreLoss),
  number('search_seed', ({ searchSeed }) => searchSeed),
  flag('prefer_longest_offline', ({ preferLongestOffline }) => preferLongestOffline),
  flag('has_claim', ({ claim }) => claim !== undefined),
  number('claim_worker', ({ claim }) => claim?.workerId),
  text('claim_token', ({ claim }) => claim?.fencingToken),
  number('claim_until', ({ claim }) => claim?.untilMs),
  number('min_replicas', ({ minReplicas }) => minReplicas),
  number('proof_time', ({ proof }) => proof?.storeNowMs),
  text('proof_history_id', ({ proof }) => proof?.historyId),
  text('proof_offset', ({ proof }) => proof?.offset),
  // The `prove` script has this one, too, and passes it on as text.
  text('assumed', ({ assumeNoLostWrites }) => (assumeNoLostWrites ? '1' : '0')),
];

/** Lua: reads the arguments into variables. */
export const READ_ARGUMENTS = `
local key = KEYS[1]
${ARGUMENTS.map(({ variable, reading }, index) => `local ${variable} = ${reading(`ARGV[${index + 1}]`)}`).join('\n')}
`;

/** Returns the arguments of a call of the `lease` script. */
export function leaseArguments(
  request: LeaseRequest,
  trust: ServerTrust,
  proof?: ReplicationProof,
): string[] {
  const input = { ...request, ...trust, proof };
  return ARGUMENTS.map((argument) => argument.text(input));
}
