import { lua, type ServerSources } from './lua.js';
import { UNSOUND_NAMES } from './unsound-servers.js';

/** Names of compilers look like names of servers. */
const KNOWN_NAMES = ['redis', 'valkey', 'gcc', 'clang'];

const inLua = (names: readonly string[]): string => `' ${names.join(' ')} '`;

/**
 * Lua: sets `info` to the text of `INFO replication`, and `history_id` to the history ID of the server. The `lease` and
 * the `prove` script both begin with it, so they use the same history ID. Input: `assumed`, `1` if the operator asserts that
 * the server never loses an acknowledged write.
 *
 * Ends the script with one of these replies if the history can't be trusted:
 * - `{ 'SERVER', name }`: `INFO server` names a server other than Redis or Valkey
 * - `{ 'HIDDEN', field }`: `INFO` doesn't show a field of the history ID
 * - `{ 'ROLE', role }`: the server is one of several that accept writes
 * - `{ 'LOSSY', setting, value }`: the operator asserts that the server loses no write, and the setting refutes it
 * - error `READONLY`: the server is a replica, so its data may be stale. Redis replies with the same error when a replica
 *   refuses a write, but a replica with `replica-read-only no` accepts writes.
 *
 * The replication ID changes when another server's writes replace those of this server. The run ID changes when the server
 * restarts. Neither is enough alone: some servers keep the replication ID across a restart, and no server changes its run
 * ID after following another master for a while.
 *
 * A server names itself in `<name>_version`, and some servers also in `server_name`. Redis shows `redis_version` only;
 * other servers show it for compatibility.
 */
export const readServer = (server: ServerSources): string => lua`
local info, about = ${server.replicationInfo}, ${server.serverInfo}

local function field_of(text, name)
  local _, stop = string.find(text, '\n' .. name .. ':', 1, true)
  return stop and string.match(text, '^[%w-]+', stop + 1)
end

local function is_in(names, name)
  return string.find(names, ' ' .. name .. ' ', 1, true)
end

local function is_trusted(name)
  return is_in(${inLua(KNOWN_NAMES)}, name) or (assumed == '1' and not is_in(${inLua(UNSOUND_NAMES)}, name))
end

local function other_server()
  local name, start, stop = field_of(about, 'server_name'), nil, 0
  while not name or is_trusted(name) do
    start, stop = string.find(about, '_version:', stop + 1, true)
    if not start then return end
    name = string.match(string.sub(about, math.max(1, start - 64), start - 1), '\n([%w_-]+)$')
  end
  return name
end

local other, run_id = other_server(), field_of(about, 'run_id')
if other then return { 'SERVER', other } end
if not field_of(about, 'redis_version') then return { 'HIDDEN', 'redis_version' } end
if not run_id then return { 'HIDDEN', 'run_id' } end
local role, replication_id = field_of(info, 'role'), field_of(info, 'master_replid')
if not role then return { 'HIDDEN', 'role' } end
if role == 'slave' or role == 'replica' then
  return redis.error_reply('READONLY this server is a replica')
end
if role ~= 'master' then return { 'ROLE', role } end
if not replication_id or string.find(replication_id, '^0+$') then return { 'HIDDEN', 'master_replid' } end
local history_id = replication_id .. '/' .. run_id
if assumed == '1' then
  local settings = ${server.settingsInfo}
  local policy = field_of(settings, 'maxmemory_policy') or ''
  if field_of(settings, 'aof_enabled') == '0' then return { 'LOSSY', 'appendonly', 'no' } end
  if string.find(policy, '^allkeys') and field_of(settings, 'maxmemory') ~= '0' then
    return { 'LOSSY', 'maxmemory-policy', policy }
  end
end
`;
