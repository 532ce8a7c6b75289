import { lua, readNow, readReplication, redisServer, registryFormat } from './lua.js';

/**
 * `prove`: marks a point in the master's replication stream. Its write, if no other, makes the stream grow, so that
 * a replica which acknowledges more than that point has received something that the master said after this call.
 *
 * - KEYS[1], hash: the registry of the namespace
 * - ARGV: none
 * - Reply: `{ 'PROOF', now, reign, offset }`, all as text, `now` in milliseconds, `offset` as it was before the write;
 *   `{ 'HIDDEN' }` when `INFO` does not tell the replication ID or the offset
 */
export const proveScript = (server = redisServer): string => lua`
${readNow(server)}
${registryFormat}
${readReplication(server)}
local offset = string.match(info, 'master_repl_offset:(%d+)')
if not offset then return { 'HIDDEN' } end
redis.call('HSET', KEYS[1], 'proof', text(now))
return { 'PROOF', text(now), reign, offset }
`;
