import { SEARCH_LIMIT } from '../search-limit.js';
import { lua } from './lua.js';

/*
 * The second half of the `lease` script, in the order in which it runs: it goes on where no claim was renewed. The
 * header of `lease-script.ts` explains arguments and replies.
 */

/**
 * Visits the rows of all worker IDs, or of a stretch of them that wraps around when there are very many. Asking for
 * named fields in chunks costs about the same as `HGETALL` and keeps the order of worker IDs.
 */
export const SEARCH = lua`
local CHUNK = 1000
local function search(visit)
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
        visit(worker, reserved, deed)
      end
    end
  end
end
`;

/** The reply to a call with this nonce was lost: the same grant is given again, the one that reaches furthest. */
export const REPEAT_GRANT = lua`
if is_retry then
  local mine, mine_reserved, mine_deed
  local prefix = nonce .. '@'
  local unreadable = search(function(worker, reserved, deed)
    if string.sub(deed, 1, #prefix) ~= prefix or not from_of(deed) then return end
    if not mine or reserved > mine_reserved or (reserved == mine_reserved and worker < mine) then
      mine, mine_reserved, mine_deed = worker, reserved, deed
    end
  end)
  if unreadable then return unreadable end
  if mine and mine_reserved - max_skew >= now then
    return answer({ 'NEW', text(now), text(mine), mine_deed, text(from_of(mine_deed)), text(mine_reserved) })
  end
end
`;

/**
 * A fresh worker ID, or else the one that has been offline longest: in this order, unless the caller prefers one that
 * was used before. `search` runs once in either case.
 */
export const ACQUIRE = lua`
if now <= floor then return answer({ 'WAIT', text(now), text(math.max(1, floor - now)), floor_reason }) end

local function grant(worker, reserved)
  local from, granted_until = math.max(reserved, floor), now + window
  local deed = nonce .. '@' .. text(from)
  set(worker, text(granted_until) .. ' ' .. deed)
  return answer({ 'NEW', text(now), text(worker), deed, text(from), text(granted_until) })
end

local first_end
local function grant_longest_offline()
  local longest, lowest_reserved
  local unreadable = search(function(worker, reserved)
    if not first_end or reserved < first_end then first_end = reserved end
    if reserved < now and (not longest or reserved < lowest_reserved
        or (reserved == lowest_reserved and worker < longest)) then
      longest, lowest_reserved = worker, reserved
    end
  end)
  if unreadable then return unreadable end
  if longest then return grant(longest, lowest_reserved) end
end

local offline_reply = prefer_offline and grant_longest_offline()
if offline_reply then return offline_reply end

local never_used, probes = math.max(fresh, first), 0
while never_used < first + count and probes < ${SEARCH_LIMIT} and redis.call('HGET', key, never_used) do
  never_used, probes = never_used + 1, probes + 1
end
if never_used < first + count and probes < ${SEARCH_LIMIT} then
  set('fresh', text(never_used + 1))
  return grant(never_used, 0)
end
if never_used > fresh then set('fresh', text(never_used)) end

offline_reply = not prefer_offline and grant_longest_offline()
if offline_reply then return offline_reply end

local next_free = never_used < first + count and now or first_end or now
return answer({ 'FULL', text(now), text(math.max(1, next_free - now)) })
`;
