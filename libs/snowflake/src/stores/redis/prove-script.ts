import { lua, readNow, redisServer, registryFormat } from './lua.js';
import { readServer } from './server-script.js';

/**
 * `prove`: marks a point in the master's replication stream. The script itself writes, so the stream always grows past
 * that point. A replica that acknowledges a higher offset has received data that the master sent after this call.
 *
 * - KEYS[1], hash: the registry of the namespace
 * - ARGV[1]: `1` if the operator asserts that the server never loses an acknowledged write
 * - Reply: `{ 'PROOF', now, history, offset }`, all as text: `now` in milliseconds, `offset` before the write. Otherwise a
 *   reply of {@link readServer} or `{ 'HIDDEN', 'master_repl_offset' }`
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
