import { countJoins } from './lease-script.js';
import { lua, redisServer } from './lua.js';
import { readServer } from './server-script.js';

/**
 * `backfill`: writes the row of a worker ID that is reserved for imports, if all that the decision depended on is still as the `inspect`
 * script has read it. So the protocol decides in this process, and the script only compares.
 *
 * - KEYS[1], hash: the registry of the namespace
 * - ARGV[1]: `1` if the operator asserts that the server never loses an acknowledged write
 * - ARGV[2], ARGV[3]: the layout and `grantsAfter` that were read
 * - ARGV[4]: worker ID
 * - ARGV[5]: its row as it was read, empty if there was none
 * - ARGV[6]: its row from now on
 * - Reply: `{ 'CLAIMED' }`; `{ 'CHANGED' }` if something was written meanwhile; `{ 'LOST' }` if the registry's history isn't the
 *   server's; otherwise a reply of {@link readServer}
 */
export const backfillScript = (server = redisServer): string => lua`
local key, assumed, layout, grants_after, worker, before, row = KEYS[1], ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]
${readServer(server)}
local stored = redis.call('HMGET', key, 'layout', 'historyId', 'grantsAfter', worker, 'joins')
local min_replicas = stored[5] and 1 or 0
${countJoins(server)}
if stored[2] ~= history_id or (joins and stored[5] ~= joins) then return { 'LOST' } end
if stored[1] ~= layout or stored[3] ~= grants_after or (stored[4] or '') ~= before then return { 'CHANGED' } end
redis.call('HSET', key, worker, row)
return { 'CLAIMED' }
`;
