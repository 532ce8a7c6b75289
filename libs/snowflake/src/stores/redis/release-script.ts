import { lua, registryFormat } from './lua.js';

/**
 * `release`: gives a worker ID back. `reserved until` becomes the last timestamp used, lower or higher than it was
 * (higher when the renewal was lost), but never lower than the start of the grant: below it are timestamps of
 * earlier holders.
 *
 * - KEYS[1], hash: the registry of the namespace
 * - ARGV[1]: worker ID
 * - ARGV[2]: fencing token
 * - ARGV[3]: last timestamp used, milliseconds
 * - Reply: `{ 'RELEASED' }`; `{ 'GONE' }` when the fencing token is not the stored one; `{ 'CORRUPT', field, stored }`
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
