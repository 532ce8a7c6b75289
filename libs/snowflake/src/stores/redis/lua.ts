/** Marks template text as Lua, for editors and readers. Backslashes reach Lua as they are written. */
export const lua = String.raw;

/**
 * The Lua expressions that a script uses to query its server. Production uses {@link redisServer}; tests replace them to
 * control the time and the history ID, and leave the rest of the script unchanged.
 */
export interface ServerSources {
  /** Yields what `TIME` yields: `{ seconds, microseconds }`. */
  readonly time: string;
  /** Yields what `INFO server` yields: text. A separate call, because Redis 6 returns one section per call. */
  readonly serverInfo: string;
  /** Yields what `INFO replication` yields: text. */
  readonly replicationInfo: string;
  /** Yields what `INFO stats` yields: text. */
  readonly statsInfo: string;
  /** Yields what `INFO persistence` and `INFO memory` yield: text. */
  readonly settingsInfo: string;
}

/** The server itself. */
export const redisServer: ServerSources = {
  time: `redis.call('TIME')`,
  serverInfo: `redis.call('INFO', 'server')`,
  replicationInfo: `redis.call('INFO', 'replication')`,
  statsInfo: `redis.call('INFO', 'stats')`,
  settingsInfo: `redis.call('INFO', 'persistence') .. redis.call('INFO', 'memory')`,
};

/** Lua: sets `now` to the server's clock in whole milliseconds. */
export const readNow = (server: ServerSources) => lua`
local time = ${server.time}
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
`;

/**
 * Lua: the stored format of a registry, see `registry-format.ts`. Lua prints numbers from 1e15 up with an exponent and
 * loses digits above 2^53. So numbers have at most 15 digits, `text` prints them, and they travel as strings.
 */
export const registryFormat = lua`
local function text(number)
  return string.format('%.0f', number)
end

local function read_number(stored)
  if stored and #stored <= 15 and string.find(stored, '^%d+$') then return tonumber(stored) end
end

local function read_row(stored)
  local digits, token = string.match(stored, '^(%d+) (.*)$')
  if digits and #digits <= 15 then return tonumber(digits), token end
end

local function parts_of(token)
  local grant, renewals, attempt = string.match(token, '^([^~]*)~(%d+)~([^~]*)$')
  if grant and #renewals <= 15 then return grant, tonumber(renewals), attempt end
  return token, 0, string.match(token, '^[^:@~]*')
end

local function from_of(token)
  return read_number(string.match((parts_of(token)), '@(%d+)$'))
end

local function corrupt(field, stored)
  return { 'CORRUPT', field, stored or '' }
end
`;
