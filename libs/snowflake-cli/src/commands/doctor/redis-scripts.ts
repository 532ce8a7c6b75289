import { lua, readNow, redisServer, registryFormat } from 'nestjs-snowflake/internal/stores/redis/lua';
import { readServer } from 'nestjs-snowflake/internal/stores/redis/server-script';

/**
 * Lua: tries every command of a lease without writing. Redis checks the rights of the user before the number of arguments,
 * so it refuses an HSET with one field too many in any case, and the error shows whether the user may run it.
 *
 * - KEYS[1], hash: the registry of the namespace
 * - Reply: `{ { command, error, command, error, … }, INFO }`, with an empty error if the command may run
 */
export const TRY_COMMANDS = lua`
local key, tried = KEYS[1], {}
local function try(command, ...)
  local reply = redis.pcall(command, ...)
  local failure = type(reply) == 'table' and reply.err
  tried[#tried + 1] = command
  tried[#tried + 1] = failure or ''
  return not failure and reply or ''
end

try('TIME')
local info = try('INFO')
try('HGET', key, 'layout')
try('HMGET', key, 'layout')
try('HGETALL', key)
try('HSET', key, 'field', 'value', 'field without a value')
return { tried, info }
`;

/** Lua: returns `{ 'FINE', history ID }`, or what {@link readServer} replies. Writes nothing. */
export const READ_HISTORY = lua`
${readNow(redisServer)}
${registryFormat}
local assumed = ARGV[1]
${readServer(redisServer)}
return { 'FINE', history_id }
`;
