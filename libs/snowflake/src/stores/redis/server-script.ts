import { lua, type ServerSources } from './lua.js';

/**
 * Lua: sets `info` to the text of `INFO replication`, and `history_id` to the history ID of the server. The `lease` and
 * the `prove` script both begin with it, so they use the same history ID. Input: `assumed`, the names of the servers that
 * the operator vouches for, separated by spaces.
 *
 * Ends the script with one of these replies if the history can't be trusted:
 * - `{ 'SERVER', name }`: `INFO server` names a server other than Redis or Valkey
 * - `{ 'HIDDEN', field }`: `INFO` doesn't show a field of the history ID
 * - `{ 'ROLE', role }`: the server is one of several that accept writes
 * - error `READONLY`: the server is a replica, so its data may be stale. Redis replies with the same error when a replica
 *   refuses a write, but a replica with `replica-read-only no` accepts writes.
 *
 * The replication ID changes when another server's writes replace those of this server. The run ID changes when the server
 * restarts. Neither is enough alone: some servers keep the replication ID across a restart, and no server changes its run
 * ID after following another master for a while.
 *
 * A server names itself in `<name>_version`, and some servers also in `server_name`. Redis shows `redis_version` only;
 * other servers show it for compatibility. `gcc_version` and `clang_version` name compilers.
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
