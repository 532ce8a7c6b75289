import { SEARCH_LENGTH_IN_LUA } from '../search-limit.js';
import { lua } from './lua.js';

/*
 * The second half of the `lease` script, in execution order. It runs if no claim was renewed. The header of
 * `lease-script.ts` describes the arguments and replies.
 */

/**
 * Reads the rows of all worker IDs. If there are too many, reads a stretch of them that wraps around. `HGETALL` takes half
 * the time of reading each row by its name, but returns the fields in arbitrary order, and the header fields with them. A
 * stretch has the same form: field, row, field, row, …
 */
const READ_ROWS = lua`
local search_length = ${SEARCH_LENGTH_IN_LUA}

local function read_stretch()
  local workers, entries = {}, {}
  for i = 1, search_length do workers[i] = first + (search_seed + i - 1) % count end
  local rows = redis.call('HMGET', key, unpack(workers))
  for i = 1, search_length do
    if rows[i] then
      entries[#entries + 1] = workers[i]
      entries[#entries + 1] = rows[i]
    end
  end
  return entries
end

local function read_entries()
  if search_length < count then return read_stretch() end
  return redis.call('HGETALL', key)
end

local function worker_of(field)
  local worker = tonumber(field)
  if worker and worker >= first and worker < first + count and text(worker) == tostring(field) then
    return worker
  end
end
`;

/**
 * Finds the worker ID whose window ends, or ended, first. Redis is single-threaded, so the loop does as little as possible
 * for each row: it reads most rows only up to the space.
 */
export const SEARCH = lua`${READ_ROWS}
local entries, next_free, next_free_end

local function search()
  if entries then return end
  entries, next_free_end = read_entries(), math.huge
  local match, lowest, unreadable, unreadable_row = string.match, math.huge, math.huge, nil
  for i = 2, #entries, 2 do
    local row = entries[i]
    local digits = match(row, '^(%d+) ')
    local reserved = digits and #digits <= 15 and digits + 0
    if not reserved then
      local worker = worker_of(entries[i - 1])
      if worker and worker < unreadable then unreadable, unreadable_row = worker, row end
    elseif reserved <= lowest then
      local worker = worker_of(entries[i - 1])
      if worker and (reserved < lowest or worker < next_free) then next_free, lowest = worker, reserved end
    end
  end
  next_free_end = lowest
  if unreadable_row then return corrupt(text(unreadable), unreadable_row) end
end
`;

/**
 * Returns the grant of this nonce again after a lost reply. If there are several, returns the one that ends last. One that no attempt
 * of this caller has written is a copy's. The fencing token changes, so that no copy gets the grant as well.
 */
export const REPEAT_GRANT = lua`
local function find_mine()
  local prefix = nonce .. '@'
  local mine, mine_reserved, mine_token
  for i = 2, #entries, 2 do
    local worker = string.find(entries[i], prefix, 1, true) and worker_of(entries[i - 1])
    if worker then
      local reserved, token = read_row(entries[i])
      if string.sub(token, 1, #prefix) == prefix and is_own(token) and from_of(token) and (not mine
          or reserved > mine_reserved or (reserved == mine_reserved and worker < mine)) then
        mine, mine_reserved, mine_token = worker, reserved, token
      end
    end
  end
  return mine, mine_reserved, mine_token
end

if is_retry then
  local unreadable = search()
  if unreadable then return unreadable end
  local mine, reserved, token = find_mine()
  if mine and is_running(reserved, reserved) then
    local own_token = renewed_token(token, token)
    set(mine, text(reserved) .. ' ' .. own_token)
    return answer({ 'NEW', text(now), text(mine), own_token, text(from_of(token)), text(reserved) })
  end
end
`;

/** Grants a fresh worker ID, or else the one that has been offline longest. `prefer_longest_offline` reverses the order. */
export const ACQUIRE = lua`
if now <= grants_after then return answer({ 'WAIT', text(now), text(math.max(1, grants_after - now)), grants_after_reason }) end

local function grant(worker, reserved)
  local from, granted_until = math.max(reserved, grants_after), now + window
  local granted_token = nonce .. '@' .. text(from)
  local token = renewed_token(granted_token, granted_token)
  set(worker, text(granted_until) .. ' ' .. token)
  return answer({ 'NEW', text(now), text(worker), token, text(from), text(granted_until) })
end

local function grant_offline()
  local unreadable = search()
  if unreadable then return unreadable end
  if next_free and next_free_end < now then return grant(next_free, next_free_end) end
end

local used = prefer_longest_offline and grant_offline()
if used then return used end

local never_used, probes = math.max(fresh, first), 0
while never_used < first + count and probes < search_length and redis.call('HGET', key, never_used) do
  never_used, probes = never_used + 1, probes + 1
end
if never_used < first + count and probes < search_length then
  set('fresh', text(never_used + 1))
  return grant(never_used, 0)
end
if never_used > fresh then set('fresh', text(never_used)) end

used = grant_offline()
if used then return used end
local free_at = never_used < first + count and now or next_free and next_free_end or now
return answer({ 'FULL', text(now), text(math.max(1, free_at - now)) })
`;
