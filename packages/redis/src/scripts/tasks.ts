import { type Script, script } from '../commands/script.ts'

/*
 * All tasks are in five keys of one slot, because a script that makes room must access every task:
 *
 * records: hash by id. A value begins with 23 characters for the owner, the first of which is ~ if the owner is
 * anonymous, 15 digits each for the time of creation (of the node) and of expiry (of Redis), then the record as JSON.
 * owners: sorted set of <owner><creation><id>, all with score 0. They are sorted by name, in the order of `tasks/list`.
 * ended: sorted set of ids by the time of their end. expiries: sorted set of ids. bytes: the bytes of all records.
 */

const OWNER = 23
const CREATED = OWNER + 15
/** The number of characters before the JSON of a record. */
export const TASK_HEAD: number = CREATED + 15

/** Functions for the writing scripts. KEYS: records, owners, ended, expiries, bytes. */
const CHANGES = `
local function remove(id)
  local value = redis.call('HGET', KEYS[1], id)
  if not value then return end
  redis.call('HDEL', KEYS[1], id)
  redis.call('ZREM', KEYS[2], string.sub(value, 1, ${CREATED}) .. id)
  redis.call('ZREM', KEYS[3], id)
  redis.call('ZREM', KEYS[4], id)
  redis.call('DECRBY', KEYS[5], #value - ${TASK_HEAD})
end
local function sweep()
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[4], '-inf', now)) do remove(id) end
end
local function sizeOf(id) return redis.call('HSTRLEN', KEYS[1], id) - ${TASK_HEAD} end
-- All anonymous owners count as one.
local function holderOf(member) return string.sub(member, 1, 1) == '~' and '~' or string.sub(member, 1, ${OWNER}) end
local function dropFirstEndedOf(owner)
  local first, at
  for _, member in ipairs(redis.call('ZRANGEBYLEX', KEYS[2], '[' .. owner, '(' .. owner .. ':')) do
    local id = string.sub(member, ${CREATED + 1})
    local ended = tonumber(redis.call('ZSCORE', KEYS[3], id) or nil)
    if ended and (not at or ended < at) then first, at = id, ended end
  end
  if first then remove(first) end
  return first
end
-- Drops ended tasks, each of the one who holds most, while too many tasks or bytes are there.
local function makeRoom(more, limit, sized)
  local total = tonumber(sized and redis.call('GET', KEYS[5]) or redis.call('HLEN', KEYS[1])) or 0
  if total + more <= limit then return true end
  local owners, held, ended = {}, {}, {}
  for _, member in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
    local holder, id = holderOf(member), string.sub(member, ${CREATED + 1})
    owners[id] = holder
    held[holder] = (held[holder] or 0) + (sized and sizeOf(id) or 1)
  end
  for _, id in ipairs(redis.call('ZRANGE', KEYS[3], 0, -1)) do
    local holder = owners[id]
    ended[holder] = ended[holder] or { next = 1 }
    table.insert(ended[holder], id)
  end
  while total + more > limit do
    local most
    for holder, ids in pairs(ended) do
      if ids[ids.next] and (not most or held[holder] > held[most]) then most = holder end
    end
    if not most then return false end
    local id = ended[most][ended[most].next]
    local freed = sized and sizeOf(id) or 1
    remove(id)
    ended[most].next = ended[most].next + 1
    held[most] = held[most] - freed
    total = total - freed
  end
  return true
end
-- Whether the running tasks of one holder would have more than half of the bytes.
local function runsOver(owner, more, limit)
  if tonumber(redis.call('GET', KEYS[5]) or 0) + more <= limit / 2 then return false end
  local holder, sum = holderOf(owner), more
  for _, member in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
    local id = string.sub(member, ${CREATED + 1})
    if holderOf(member) == holder and not redis.call('ZSCORE', KEYS[3], id) then
      sum = sum + sizeOf(id)
    end
  end
  return sum > limit / 2
end
local function expireAll()
  local latest = redis.call('ZRANGE', KEYS[4], -1, -1, 'WITHSCORES')[2]
  for i = 1, #KEYS do
    if latest then redis.call('PEXPIREAT', KEYS[i], latest) else redis.call('UNLINK', KEYS[i]) end
  end
end
`

/**
 * Stores a task. Returns 0 if its id is taken, or if no ended task can make room.
 *
 * ARGV: id, owner, creation, time to live, record, limits of tasks, tasks of the owner and bytes.
 */
export const CREATE_TASK: Script = script(`${CHANGES}
sweep()
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 or tonumber(ARGV[4]) <= 0 then return 0 end
local own = redis.call('ZLEXCOUNT', KEYS[2], '[' .. ARGV[2], '(' .. ARGV[2] .. ':')
if own >= tonumber(ARGV[7]) and not dropFirstEndedOf(ARGV[2]) then return 0 end
local size, maxBytes = #ARGV[5], tonumber(ARGV[8])
if size > maxBytes or not makeRoom(1, tonumber(ARGV[6])) then return 0 end
if runsOver(ARGV[2], size, maxBytes) or not makeRoom(size, maxBytes, true) then return 0 end
local expiry = string.format('%015.0f', now + ARGV[4])
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2] .. ARGV[3] .. expiry .. ARGV[5])
redis.call('ZADD', KEYS[2], 0, ARGV[2] .. ARGV[3] .. ARGV[1])
redis.call('ZADD', KEYS[4], expiry, ARGV[1])
redis.call('INCRBY', KEYS[5], #ARGV[5])
expireAll()
return 1
`)

/**
 * Replaces a record if it still has the given text. Returns 0 if its text differs or it has expired, and -1
 * if there is no room. Ended tasks make room.
 *
 * ARGV: id, value, new record, 1 if it ends the task, limit of bytes.
 */
export const UPDATE_TASK: Script = script(`${CHANGES}
sweep()
local value = redis.call('HGET', KEYS[1], ARGV[1])
if value ~= ARGV[2] then return 0 end
local more = #ARGV[3] + ${TASK_HEAD} - #value
local maxBytes = tonumber(ARGV[5])
if #ARGV[3] > maxBytes then return -1 end
if ARGV[4] ~= '1' and runsOver(string.sub(value, 1, ${OWNER}), more, maxBytes) then return -1 end
if not makeRoom(more, maxBytes, true) then return -1 end
redis.call('HSET', KEYS[1], ARGV[1], string.sub(value, 1, ${TASK_HEAD}) .. ARGV[3])
redis.call('INCRBY', KEYS[5], more)
if ARGV[4] == '1' then redis.call('ZADD', KEYS[3], time[1] * 1000000 + time[2], ARGV[1]) end
expireAll()
return 1
`)

/** Deletes a task of an owner. Returns whether the task existed. ARGV: id, owner. */
export const DELETE_TASK: Script = script(`${CHANGES}
sweep()
local value = redis.call('HGET', KEYS[1], ARGV[1])
local known = value and string.sub(value, 1, ${OWNER}) == ARGV[2]
if known then remove(ARGV[1]) end
expireAll()
return known and 1 or 0
`)

/**
 * Returns a task of an owner, or nothing.
 *
 * KEYS: records. ARGV: id, owner.
 */
export const GET_TASK: Script = script(`
local value = redis.call('HGET', KEYS[1], ARGV[1])
if not value or string.sub(value, 1, ${OWNER}) ~= ARGV[2] then return false end
if tonumber(string.sub(value, ${CREATED + 1}, ${TASK_HEAD})) <= now then return false end
return value
`)

/**
 * Returns the tasks of an owner after a position.
 *
 * KEYS: records, owners. ARGV: owner, position (or the owner alone), limit.
 */
export const LIST_TASKS: Script = script(`
local reply, after = {}, '(' .. ARGV[2]
while #reply < tonumber(ARGV[3]) do
  local page = redis.call('ZRANGEBYLEX', KEYS[2], after, '(' .. ARGV[1] .. ':', 'LIMIT', 0, ARGV[3])
  if #page == 0 then break end
  for _, member in ipairs(page) do
    local value = redis.call('HGET', KEYS[1], string.sub(member, ${CREATED + 1}))
    local live = value and tonumber(string.sub(value, ${CREATED + 1}, ${TASK_HEAD})) > now
    if live and #reply < tonumber(ARGV[3]) then reply[#reply + 1] = value end
    after = '(' .. member
  end
end
return reply
`)
