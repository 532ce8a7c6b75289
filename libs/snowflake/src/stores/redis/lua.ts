/** Marks template text as Lua, for editors and readers. Backslashes reach Lua as they are written. */
export const lua = String.raw;

/**
 * The Lua expressions by which a script learns about its server. Production uses {@link redisServer}; tests
 * replace them to decide what time it is and which history the server has, with the rest of the text unchanged.
 */
export interface ServerSources {
  /** Yields what `TIME` yields: `{ seconds, microseconds }`. */
  readonly time: string;
  /** Yields what `INFO server` yields: text. Asked for by itself, since Redis 6 answers one section at a time. */
  readonly serverInfo: string;
  /** Yields what `INFO replication` yields: text. */
  readonly replicationInfo: string;
  /** Yields what `INFO stats` yields: text. */
  readonly statsInfo: string;
}

/** The server itself. */
export const redisServer: ServerSources = {
  time: `redis.call('TIME')`,
  serverInfo: `redis.call('INFO', 'server')`,
  replicationInfo: `redis.call('INFO', 'replication')`,
  statsInfo: `redis.call('INFO', 'stats')`,
};

/** Lua: the server's clock in whole milliseconds, as `now`. */
export const readNow = (server: ServerSources) => lua`
local time = ${server.time}
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
`;

/**
 * Lua: how a registry is written down, see `registry-format.ts`. Lua prints numbers from 1e15 up with an exponent
 * and loses digits above 2^53; so numbers have at most 15 digits, are printed by `text` and travel as strings.
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

local function from_of(token)
  return read_number(string.match(token, '@(%d+)$'))
end

local function corrupt(field, stored)
  return { 'CORRUPT', field, stored or '' }
end
`;
