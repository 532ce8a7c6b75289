import { ACQUIRE, REPEAT_GRANT, SEARCH } from './acquire-script.js';
import { READ_ARGUMENTS } from './lease-arguments.js';
import { DECLARED_NEW } from '../registry-format.js';
import { lua, readNow, redisServer, registryFormat, type ServerSources } from './lua.js';
import { readServer } from './server-script.js';

/**
 * `lease`: renews the claim of the request. If there is no claim, or it can't be renewed, acquires a worker ID.
 *
 * - KEYS[1], hash: the registry of the namespace
 * - ARGV: see `lease-arguments.ts`
 *
 * Replies, with all numbers as text and all times in milliseconds:
 * - `{ 'KEPT', now, until, fencing token }`, `{ 'COPIED', now }`
 * - `{ 'NEW', now, worker, fencing token, from, until }`
 * - `{ 'WAIT', now, ms, 'empty' | 'history' }`, `{ 'FULL', now, ms }`
 * - `{ 'ALONE', now, replicas }`, `{ 'LAYOUT', stored }`, `{ 'CORRUPT', field, stored }`
 * - the replies of {@link readServer}, and `{ 'HIDDEN', 'sync_full' | 'sync_partial_ok' }` if `INFO` doesn't show how often
 *   replicas have joined
 *
 * One `HSET` at the end writes everything, so a script that fails earlier changes nothing.
 */
export const leaseScript = (server = redisServer): string =>
  [
    readNow(server),
    registryFormat,
    READ_ARGUMENTS,
    readServer(server),
    COUNT_REPLICAS,
    countJoins(server),
    READ_HEADER,
    BEGIN_HISTORY,
    IGNORE_LOSS,
    IS_RUNNING,
    RENEW,
    SEARCH,
    REPEAT_GRANT,
    ACQUIRE,
  ].join('');

/**
 * A failover may have replaced a master that lost its replicas. A replica counts if it has acknowledged data that this
 * master sent after the proof. The time at which the master reads an acknowledgement proves nothing: after a pause of the
 * master or the network, it reads the older acknowledgements first, and `lag` is 0. Offsets may exceed 2^53, so they stay
 * text.
 */
const COUNT_REPLICAS = lua`
local function is_above(offset, other)
  return #offset > #other or (#offset == #other and offset > other)
end

if min_replicas > 0 then
  local following, proof_age = 0, now - (proof_time or math.huge)
  if proof_history_id == history_id and proof_age >= 0 and proof_age <= max_skew then
    for acknowledged in string.gmatch(info, 'slave%d+:[^\r\n]*state=online[^\r\n]*,offset=(%d+)') do
      if is_above(acknowledged, proof_offset) then following = following + 1 end
    end
  end
  if following < min_replicas then return { 'ALONE', text(now), text(following) } end
end
`;

/**
 * A replica that follows another master leaves this one and joins it again when it returns, so `joins` grows. If a failover
 * replaces a master and the master returns without having been a replica itself, its replication ID stays the same, but
 * its join count differs.
 */
export const countJoins = (server: ServerSources): string => lua`
local joins
if min_replicas > 0 then
  local stats = ${server.statsInfo}
  local full, partial = string.match(stats, 'sync_full:(%d+)'), string.match(stats, 'sync_partial_ok:(%d+)')
  if not full or not partial then return { 'HIDDEN', full and 'sync_partial_ok' or 'sync_full' } end
  joins = full .. ' ' .. partial
end
`;

/**
 * maxSkew is the largest difference between server clocks. The process that sets `grantsAfter` may have been configured
 * with too small a value, so the largest maxSkew of any request counts. The window works the same way, in every history: a
 * holder with a longer window may still have a lease when the registry next loses data.
 */
const READ_HEADER = lua`
local header = redis.call('HMGET', key, 'layout', 'historyId', 'grantsAfter', 'grantsAfterReason', 'window', 'fresh', 'maxSkew', 'joins')
local stored_layout, stored_history_id = header[1], header[2]
local grants_after_reason = header[4] == 'history' and 'history' or 'empty'
if stored_layout and stored_layout ~= layout then return { 'LAYOUT', stored_layout } end

local grants_after, longest_window, fresh = read_number(header[3]), read_number(header[5]), read_number(header[6])
if not grants_after and (stored_layout or header[3]) then return corrupt('grantsAfter', header[3]) end
if not longest_window and (stored_layout or header[5]) then return corrupt('window', header[5]) end
if not fresh and (stored_layout or header[6]) then return corrupt('fresh', header[6]) end
local longest_skew = read_number(header[7])
if not longest_skew and header[7] then return corrupt('maxSkew', header[7]) end

local changes = {}
local function set(field, value)
  changes[#changes + 1] = field
  changes[#changes + 1] = value
end
local function answer(reply)
  if #changes > 0 then redis.call('HSET', key, unpack(changes)) end
  return reply
end

if longest_skew and longest_skew >= max_skew then
  max_skew = longest_skew
else
  set('maxSkew', text(max_skew))
end
`;

/**
 * Begins a history that may have lost grants. None of them ends later than the server's clock + the longest window +
 * maxSkew. `assume_new` applies only to an empty registry, and not if the caller shows a claim: a claim proves that the ID
 * space is not new.
 */
const BEGIN_HISTORY = lua`
if not stored_layout or stored_history_id ~= history_id or (joins and header[8] ~= joins) then
  local is_empty = not (header[1] or header[2] or header[3] or header[4] or header[5] or header[6] or header[7])
  local is_declared_new = is_empty and assume_new and not has_claim
  if is_declared_new then
    grants_after = now - 1
  else
    grants_after = math.max(grants_after or 0, now + math.max(longest_window or 0, window) + max_skew)
  end
  grants_after_reason = stored_layout and 'history' or 'empty'
  fresh = math.max(fresh or first, first)
  set('layout', layout)
  set('historyId', history_id)
  set('grantsAfter', text(grants_after))
  set('grantsAfterReason', is_declared_new and '${DECLARED_NEW}' or grants_after_reason)
  set('window', text(math.max(longest_window or 0, window)))
  set('fresh', text(fresh))
  if joins then set('joins', joins) end
elseif window > longest_window then
  set('window', text(window))
end
`;

/** Ends the wait if the operator asserts that nothing was lost. A claim doesn't ignore a loss: its holder knows better. */
const IGNORE_LOSS = lua`
if ignore_loss and not has_claim and grants_after >= now then
  grants_after = now - 1
  set('grantsAfter', text(grants_after))
end
`;

/**
 * If the end of a lease is at least maxSkew ahead, no clock has passed it, so no other holder has been granted the worker
 * ID. The same is true if its row ends above `grantsAfter`: no grant of a lost history ends there, so the row belongs to
 * this history, which is complete.
 */
const IS_RUNNING = lua`
local function is_running(reach, reserved)
  return reach - max_skew >= now or (reserved > grants_after and reserved >= now)
end
`;

/**
 * A missing row counts as an equal fencing token: a live holder carries its claim across a wiped registry.
 *
 * A row with the same grant and another renewal shows that the memory of the holder exists twice, unless an earlier attempt of
 * the caller has made that renewal, or the row is older than the claim because a failover lost renewals.
 */
const RENEW = lua`
local function is_own(token)
  local _, _, attempt = parts_of(token)
  return string.find('~' .. attempts .. '~', '~' .. attempt .. '~', 1, true)
end

local function is_copied(token)
  local _, renewals = parts_of(token)
  local _, shown_renewals = parts_of(claim_token)
  return token ~= claim_token and not is_own(token) and renewals >= shown_renewals
end

local function renewed_token(token, shown)
  local grant, renewals, attempt = parts_of(token)
  local _, shown_renewals = parts_of(shown)
  local own = string.match(attempts, '^[^~]*')
  if attempt == own then return token end
  return grant .. '~' .. text(math.max(renewals, shown_renewals) + 1) .. '~' .. own
end

if has_claim and claim_worker >= first and claim_worker < first + count then
  local row = redis.call('HGET', key, claim_worker)
  local reserved, token = 0, claim_token
  if row then
    reserved, token = read_row(row)
    if not reserved then return corrupt(text(claim_worker), row) end
  end
  local reach = math.max(reserved, claim_until)
  if parts_of(token) == parts_of(claim_token) then
    if is_copied(token) then return answer({ 'COPIED', text(now) }) end
    if is_running(reach, reserved) then
      local kept_until, kept_token = math.max(reach, now + window), renewed_token(token, claim_token)
      set(claim_worker, text(kept_until) .. ' ' .. kept_token)
      return answer({ 'KEPT', text(now), text(kept_until), kept_token })
    end
  end
end
`;
