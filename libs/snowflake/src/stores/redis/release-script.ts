import { lua, registryFormat } from './lua.js';

/**
 * `release`: releases a worker ID. Sets `reserved until` to the last timestamp used, which may be lower or higher than
 * the stored value (higher if a renewal was lost), but never lower than the start of the grant: earlier holders used the
 * timestamps below it.
 *
 * - KEYS[1], hash: the registry of the namespace
 * - ARGV[1]: worker ID
 * - ARGV[2]: fencing token
 * - ARGV[3]: last timestamp used, in milliseconds
 * - Reply: `{ 'RELEASED' }`; `{ 'GONE' }` if the fencing token differs from the stored one; `{ 'CORRUPT', field, stored }`
 */
export const releaseScript = (): string => lua`
${registryFormat}
local key, worker, token, last_used = KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[3])

local row = redis.call('HGET', key, worker)
if not row then return { 'GONE' } end
local reserved, stored_token = read_row(row)
if not reserved then return corrupt(worker, row) end
if token == '' or token ~= stored_token then return { 'GONE' } end

redis.call('HSET', key, worker, text(math.max(last_used, from_of(token) or 0)) .. ' ')
return { 'RELEASED' }
`;
