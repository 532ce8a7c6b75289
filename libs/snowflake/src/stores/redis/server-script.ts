import { lua, type ServerSources } from './lua.js';

/**
 * Lua: what the server says about itself, as `info` (`INFO replication`), and the identity of its history, as `historyId`.
 * Both the `lease` and the `prove` script begin with it, so they mean the same text by a history. It needs `assumed`: the
 * names of servers that the operator vouches for, separated by spaces.
 *
 * It answers instead of the script where the history can't be trusted:
 * - `{ 'SERVER', name }`: `INFO server` names another server than Redis or Valkey
 * - `{ 'HIDDEN', field }`: `INFO` doesn't show a field that the identity is made of
 * - `{ 'ROLE', role }`: the server is one of several that accept writes
 * - error `READONLY`: the server is a replica, and knows a past state only. Redis itself says so where a replica refuses
 *   writes; one with `replica-read-only no` accepts them.
 *
 * The replication ID changes when the writes of another server have replaced those of this one, the run ID when the
 * server has started anew. Neither is enough: some servers keep the first across a restart, and no server changes the
 * second when it has followed another master for a while.
 *
 * A server names itself by `<name>_version`, and some by `server_name` too. Redis has `redis_version` alone, others show
 * it for compatibility; `gcc_version` and `clang_version` name compilers.
 */
export const readServer = (server: ServerSources): string => lua`
local info, about = ${server.replicationInfo}, ${server.serverInfo}

local function told(text, name)
  local _, stop = string.find(text, '\n' .. name .. ':', 1, true)
  return stop and string.match(text, '^[%w-]+', stop + 1)
end

local function other_server()
  local known = ' redis valkey gcc clang ' .. assumed .. ' '
  local name, start, stop = told(about, 'server_name'), nil, 0
  while not name or string.find(known, ' ' .. name .. ' ', 1, true) do
    start, stop = string.find(about, '_version:', stop + 1, true)
    if not start then return end
    name = string.match(string.sub(about, math.max(1, start - 64), start - 1), '\n([%w_-]+)$')
  end
  return name
end

local other, run_id = other_server(), told(about, 'run_id')
if other then return { 'SERVER', other } end
if not told(about, 'redis_version') then return { 'HIDDEN', 'redis_version' } end
if not run_id then return { 'HIDDEN', 'run_id' } end
local role, replication_id = told(info, 'role'), told(info, 'master_replid')
if not role then return { 'HIDDEN', 'role' } end
if role == 'slave' or role == 'replica' then
  return redis.error_reply('READONLY this server is a replica')
end
if role ~= 'master' then return { 'ROLE', role } end
if not replication_id or string.find(replication_id, '^0+$') then return { 'HIDDEN', 'master_replid' } end
local history_id = replication_id .. '/' .. run_id
`;
