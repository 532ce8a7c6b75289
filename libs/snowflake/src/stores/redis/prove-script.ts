import { lua, readNow, redisServer, registryFormat } from './lua.js';
import { readServer } from './server-script.js';

/**
 * `prove`: marks a point in the master's replication stream. Its write, if no other, makes the stream grow, so that
 * a replica which acknowledges more than that point has received something that the master said after this call.
 *
 * - KEYS[1], hash: the registry of the namespace
 * - ARGV[1]: names of servers that the operator vouches for, separated by spaces
 * - Reply: `{ 'PROOF', now, history, offset }`, all as text, `now` in milliseconds, `offset` as it was before the write; or
 *   what {@link readServer} answers, or `{ 'HIDDEN', 'master_repl_offset' }`
 */
export const proveScript = (server = redisServer): string => lua`
${readNow(server)}
${registryFormat}
local assumed = ARGV[1]
${readServer(server)}
local offset = string.match(info, 'master_repl_offset:(%d+)')
if not offset then return { 'HIDDEN', 'master_repl_offset' } end
redis.call('HSET', KEYS[1], 'proof', text(now))
return { 'PROOF', text(now), history_id, offset }
`;
