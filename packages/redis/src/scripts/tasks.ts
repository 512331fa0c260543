import { type Script, script } from '../commands/script.ts'

/*
 * All tasks are in five keys of one slot, since a script that makes room must reach every task:
 *
 * records: hash by id. A value begins with 22 characters for the owner, 15 digits each for the time of creation (of the
 * node) and of expiry (of Redis), then the record as JSON.
 * owners: sorted set of <owner><creation><id>, all of score 0: sorted by name, which is the order of lists.
 * ended: sorted set of ids by the time of their end. expiries: sorted set of ids. bytes: the bytes of all records.
 */

const OWNER = 22
const CREATED = OWNER + 15
/** Characters before the JSON of a record. */
export const TASK_HEAD: number = CREATED + 15

/** Functions of the scripts that write. KEYS: records, owners, ended, expiries, bytes. */
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
local function dropEnded(owner)
  for _, id in ipairs(redis.call('ZRANGE', KEYS[3], 0, owner and -1 or 0)) do
    if not owner or string.sub(redis.call('HGET', KEYS[1], id), 1, ${OWNER}) == owner then
      remove(id)
      return true
    end
  end
  return false
end
local function makeRoom(more, limit)
  while tonumber(redis.call('GET', KEYS[5]) or 0) + more > limit do
    if not dropEnded() then return false end
  end
  return true
end
local function expireAll()
  local latest = redis.call('ZRANGE', KEYS[4], -1, -1, 'WITHSCORES')[2]
  for i = 1, #KEYS do
    if latest then redis.call('PEXPIREAT', KEYS[i], latest) else redis.call('UNLINK', KEYS[i]) end
  end
end
`

/**
 * Stores a task. Returns 0 if its id is taken, or nothing that has ended can make room.
 *
 * ARGV: id, owner, creation, time to live, record, limits of tasks, tasks of the owner and bytes.
 */
export const CREATE_TASK: Script = script(`${CHANGES}
sweep()
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 or tonumber(ARGV[4]) <= 0 then return 0 end
local own = redis.call('ZLEXCOUNT', KEYS[2], '[' .. ARGV[2], '(' .. ARGV[2] .. ':')
if own >= tonumber(ARGV[7]) and not dropEnded(ARGV[2]) then return 0 end
if redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[6]) and not dropEnded() then return 0 end
if #ARGV[5] > tonumber(ARGV[8]) or not makeRoom(#ARGV[5], tonumber(ARGV[8])) then return 0 end
local expiry = string.format('%015.0f', now + ARGV[4])
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2] .. ARGV[3] .. expiry .. ARGV[5])
redis.call('ZADD', KEYS[2], 0, ARGV[2] .. ARGV[3] .. ARGV[1])
redis.call('ZADD', KEYS[4], expiry, ARGV[1])
redis.call('INCRBY', KEYS[5], #ARGV[5])
expireAll()
return 1
`)

/**
 * Replaces a record that still has the given text. Returns 0 if it has another or has expired, and -1 if there is no room.
 * Ended tasks make room.
 *
 * ARGV: id, value, new record, 1 if it ends the task, limit of bytes.
 */
export const UPDATE_TASK: Script = script(`${CHANGES}
sweep()
local value = redis.call('HGET', KEYS[1], ARGV[1])
if value ~= ARGV[2] then return 0 end
local more = #ARGV[3] + ${TASK_HEAD} - #value
if #ARGV[3] > tonumber(ARGV[5]) or not makeRoom(more, tonumber(ARGV[5])) then return -1 end
redis.call('HSET', KEYS[1], ARGV[1], string.sub(value, 1, ${TASK_HEAD}) .. ARGV[3])
redis.call('INCRBY', KEYS[5], more)
if ARGV[4] == '1' then redis.call('ZADD', KEYS[3], time[1] * 1000000 + time[2], ARGV[1]) end
expireAll()
return 1
`)

/** Deletes a task of an owner. Returns whether there was one. ARGV: id, owner. */
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
