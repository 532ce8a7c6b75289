import { lua, readNow, redisServer } from './lua.js';

/**
 * `inspect`: returns the whole registry and the server's clock at one instant. Writes nothing.
 *
 * - KEYS[1], hash: the registry of the namespace
 * - ARGV: none
 * - Reply: `{ now, field, value, field, value, … }`, `now` in milliseconds; `{ now }` if nothing is stored
 */
export const inspectScript = (server = redisServer): string => lua`
${readNow(server)}
local reply = redis.call('HGETALL', KEYS[1])
table.insert(reply, 1, string.format('%.0f', now))
return reply
`;
