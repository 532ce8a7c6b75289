import { SEARCH_LIMIT } from '../search-limit.js';
import { lua } from './lua.js';

/*
 * The second half of the `lease` script, in the order in which it runs: it goes on where no claim was renewed. The
 * header of `lease-script.ts` explains arguments and replies.
 */

/**
 * Looks at the rows of all worker IDs, or of a stretch of them that wraps around when there are very many. This is
 * what an acquire costs, so it is done once a call and finds everything that the rest may want. Asking for named
 * fields in chunks costs about the same as `HGETALL` and keeps the order of worker IDs.
 */
export const SEARCH = lua`
local CHUNK = 1000
local prefix = nonce .. '@'
local found

local function look_at(worker, reserved, deed)
  if not found.first_end or reserved < found.first_end then found.first_end = reserved end
  if reserved < now and (not found.offline or reserved < found.offline_reserved
      or (reserved == found.offline_reserved and worker < found.offline)) then
    found.offline, found.offline_reserved = worker, reserved
  end
  if is_retry and string.sub(deed, 1, #prefix) == prefix and from_of(deed) and (not found.mine
      or reserved > found.mine_reserved or (reserved == found.mine_reserved and worker < found.mine)) then
    found.mine, found.mine_reserved, found.mine_deed = worker, reserved, deed
  end
end

local function search()
  if found then return end
  found = {}
  local length = math.min(count, ${SEARCH_LIMIT})
  local start = count > length and search_seed % count or 0
  for chunk = 0, length - 1, CHUNK do
    local workers = {}
    for offset = chunk, math.min(chunk + CHUNK, length) - 1 do
      workers[#workers + 1] = first + (start + offset) % count
    end
    local rows = redis.call('HMGET', key, unpack(workers))
    for i, worker in ipairs(workers) do
      if rows[i] then
        local reserved, deed = read_row(rows[i])
        if not reserved then return corrupt(text(worker), rows[i]) end
        look_at(worker, reserved, deed)
      end
    end
  end
end
`;

/** The reply to a call with this nonce was lost: the same grant is given again, the one that reaches furthest. */
export const REPEAT_GRANT = lua`
if is_retry then
  local unreadable = search()
  if unreadable then return unreadable end
  if found.mine and found.mine_reserved - max_skew >= now then
    local from, granted_until = text(from_of(found.mine_deed)), text(found.mine_reserved)
    return answer({ 'NEW', text(now), text(found.mine), found.mine_deed, from, granted_until })
  end
end
`;

/** A fresh worker ID, or else the one offline longest; the other way round for a caller who prefers used ones. */
export const ACQUIRE = lua`
if now <= floor then return answer({ 'WAIT', text(now), text(math.max(1, floor - now)), floor_reason }) end

local function grant(worker, reserved)
  local from, granted_until = math.max(reserved, floor), now + window
  local deed = nonce .. '@' .. text(from)
  set(worker, text(granted_until) .. ' ' .. deed)
  return answer({ 'NEW', text(now), text(worker), deed, text(from), text(granted_until) })
end

local function grant_offline()
  local unreadable = search()
  if unreadable then return unreadable end
  if found.offline then return grant(found.offline, found.offline_reserved) end
end

local used = prefer_offline and grant_offline()
if used then return used end

local never_used, probes = math.max(fresh, first), 0
while never_used < first + count and probes < ${SEARCH_LIMIT} and redis.call('HGET', key, never_used) do
  never_used, probes = never_used + 1, probes + 1
end
if never_used < first + count and probes < ${SEARCH_LIMIT} then
  set('fresh', text(never_used + 1))
  return grant(never_used, 0)
end
if never_used > fresh then set('fresh', text(never_used)) end

used = grant_offline()
if used then return used end
local next_free = never_used < first + count and now or found.first_end or now
return answer({ 'FULL', text(now), text(math.max(1, next_free - now)) })
`;
