import { type Script, script } from '../commands/script.ts'

/*
 * All tasks are stored in eight keys in one slot, because a script that makes room must be able to access every
 * task. No script reads all tasks: each script's time grows with the logarithm of their number.
 *
 * records: hash of records as JSON, by id. heads: hash by id. A head is 23 characters for the owner, the first
 * of which is ~ if the owner is anonymous, 15 digits each for the time of creation (of the node) and of expiry
 * (of Redis), and 16 for the end (of Redis), 0 if it runs. owners: sorted set of <owner><creation><id>, all
 * with score 0. They are sorted by name, in the order of `tasks/list`. ended: sorted set of <owner><end><id>,
 * and of !<end><id> for each anonymous owner, all with score 0. expiries: sorted set of ids. sums: hash with
 * the bytes of all records in b, and for each holder its tasks in n<holder>, its bytes in b<holder> and the
 * bytes of its running tasks in r<holder>. A holder is an owner, or ~ for all anonymous owners. most, largest:
 * sorted sets of the holders of ended tasks, by the number and by the bytes of all their tasks.
 */

const OWNER = 23
const CREATED = OWNER + 15
const EXPIRY = CREATED + 15
const RUNNING = '0'.repeat(16)
/** The maximum number of expired tasks that one script removes. The next script continues. */
const MAX_SWEPT = 200

/** Functions for scripts that write. KEYS: records, heads, owners, ended, expiries, sums, most, largest. */
const CHANGES = `
local function ownerIn(head) return string.sub(head, 1, ${OWNER}) end
local function expiryIn(head) return tonumber(string.sub(head, ${CREATED + 1}, ${EXPIRY})) or 0 end
-- All anonymous owners count as one.
local function holderOf(owner) return string.sub(owner, 1, 1) == '~' and '~' or owner end
local function sumOf(field) return tonumber(redis.call('HGET', KEYS[6], field)) or 0 end
local function add(field, number)
  if number ~= 0 and redis.call('HINCRBY', KEYS[6], field, number) == 0 then redis.call('HDEL', KEYS[6], field) end
end
-- The task of an owner, or of all anonymous owners (!), that ended first.
local function firstEnded(owner)
  local member = redis.call('ZRANGEBYLEX', KEYS[4], '[' .. owner, '(' .. owner .. ':', 'LIMIT', 0, 1)[1]
  return member and string.sub(member, #owner + 17)
end
local function firstEndedOf(holder) return firstEnded(holder == '~' and '!' or holder) end
local function adjust(holder, tasks, bytes, running)
  add('b', bytes)
  add('n' .. holder, tasks)
  add('b' .. holder, bytes)
  add('r' .. holder, running)
  if firstEndedOf(holder) then
    redis.call('ZADD', KEYS[7], sumOf('n' .. holder), holder)
    redis.call('ZADD', KEYS[8], sumOf('b' .. holder), holder)
  else
    redis.call('ZREM', KEYS[7], holder)
    redis.call('ZREM', KEYS[8], holder)
  end
end
local function remove(id)
  redis.call('ZREM', KEYS[5], id)
  local head = redis.call('HGET', KEYS[2], id)
  if not head then return false end
  local owner, ended, size = ownerIn(head), string.sub(head, ${EXPIRY + 1}), redis.call('HSTRLEN', KEYS[1], id)
  redis.call('HDEL', KEYS[1], id)
  redis.call('HDEL', KEYS[2], id)
  redis.call('ZREM', KEYS[3], string.sub(head, 1, ${CREATED}) .. id)
  redis.call('ZREM', KEYS[4], owner .. ended .. id, '!' .. ended .. id)
  adjust(holderOf(owner), -1, -size, ended == '${RUNNING}' and -size or 0)
  return true
end
local function sweep()
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[5], '-inf', now, 'LIMIT', 0, ${MAX_SWEPT})) do remove(id) end
end
-- Drops ended tasks, each of the one who holds most, while too many tasks or bytes are there.
local function makeRoom(more, limit, sized)
  while (sized and sumOf('b') or redis.call('HLEN', KEYS[2])) + more > limit do
    local holder = redis.call('ZREVRANGE', KEYS[sized and 8 or 7], 0, 0)[1]
    local id = holder and firstEndedOf(holder)
    if not id or not remove(id) then return false end
  end
  return true
end
-- Whether the running tasks of one holder would have more than half of the bytes.
local function runsOver(owner, more, limit) return sumOf('r' .. holderOf(owner)) + more > limit / 2 end
local function expireAll()
  local latest = redis.call('ZRANGE', KEYS[5], -1, -1, 'WITHSCORES')[2]
  for i = 1, #KEYS do
    if latest then redis.call('PEXPIREAT', KEYS[i], latest) else redis.call('UNLINK', KEYS[i]) end
  end
end
`

/**
 * Stores a task. Returns 0 if its id is taken, or if no ended task can make room.
 *
 * ARGV: id, owner, creation, time to live, record, limits on tasks, on the owner's tasks and on bytes.
 */
export const CREATE_TASK: Script = script(`${CHANGES}
sweep()
local id, owner, size, maxBytes = ARGV[1], ARGV[2], #ARGV[5], tonumber(ARGV[8])
if redis.call('HEXISTS', KEYS[2], id) == 1 or tonumber(ARGV[4]) <= 0 then return 0 end
if redis.call('ZLEXCOUNT', KEYS[3], '[' .. owner, '(' .. owner .. ':') >= tonumber(ARGV[7]) then
  local first = firstEnded(owner)
  if not first or not remove(first) then return 0 end
end
if size > maxBytes or not makeRoom(1, tonumber(ARGV[6])) then return 0 end
if runsOver(owner, size, maxBytes) or not makeRoom(size, maxBytes, true) then return 0 end
local expiry = string.format('%015.0f', now + ARGV[4])
redis.call('HSET', KEYS[1], id, ARGV[5])
redis.call('HSET', KEYS[2], id, owner .. ARGV[3] .. expiry .. '${RUNNING}')
redis.call('ZADD', KEYS[3], 0, owner .. ARGV[3] .. id)
redis.call('ZADD', KEYS[5], expiry, id)
adjust(holderOf(owner), 1, size, size)
expireAll()
return 1
`)

/**
 * Replaces a record if its text still has the given hash. Returns 0 if the text differs or the record has
 * expired, and -1 if there is no room. Ended tasks are dropped to make room.
 *
 * ARGV: id, owner, SHA-1 of the text, new record, 1 if it ends the task, limit on bytes.
 */
export const UPDATE_TASK: Script = script(`${CHANGES}
sweep()
local id, owner, ends, maxBytes = ARGV[1], ARGV[2], ARGV[5] == '1', tonumber(ARGV[6])
local head, text = redis.call('HGET', KEYS[2], id), redis.call('HGET', KEYS[1], id)
if not head or not text or ownerIn(head) ~= owner or expiryIn(head) <= now then return 0 end
if redis.sha1hex(text) ~= ARGV[3] then return 0 end
local more = #ARGV[4] - #text
if #ARGV[4] > maxBytes or (not ends and runsOver(owner, more, maxBytes)) then return -1 end
if not makeRoom(more, maxBytes, true) then return -1 end
redis.call('HSET', KEYS[1], id, ARGV[4])
if ends then
  local ended = string.format('%016.0f', time[1] * 1000000 + time[2])
  redis.call('HSET', KEYS[2], id, string.sub(head, 1, ${EXPIRY}) .. ended)
  redis.call('ZADD', KEYS[4], 0, owner .. ended .. id)
  if holderOf(owner) == '~' then redis.call('ZADD', KEYS[4], 0, '!' .. ended .. id) end
end
adjust(holderOf(owner), 0, more, ends and -#text or more)
expireAll()
return 1
`)

/** Deletes a task of an owner. Returns whether the task existed. ARGV: id, owner. */
export const DELETE_TASK: Script = script(`${CHANGES}
sweep()
local head = redis.call('HGET', KEYS[2], ARGV[1])
local known = head and ownerIn(head) == ARGV[2] and expiryIn(head) > now
if known then remove(ARGV[1]) end
expireAll()
return known and 1 or 0
`)

/**
 * Returns a task of an owner, or nothing.
 *
 * KEYS: records, heads. ARGV: id, owner.
 */
export const GET_TASK: Script = script(`
local head = redis.call('HGET', KEYS[2], ARGV[1])
if not head or string.sub(head, 1, ${OWNER}) ~= ARGV[2] then return false end
if (tonumber(string.sub(head, ${CREATED + 1}, ${EXPIRY})) or 0) <= now then return false end
return redis.call('HGET', KEYS[1], ARGV[1])
`)

/**
 * Returns the tasks of an owner after a position.
 *
 * KEYS: records, heads, owners. ARGV: owner, position (or the owner alone), limit.
 */
export const LIST_TASKS: Script = script(`
local reply, after = {}, '(' .. ARGV[2]
while #reply < tonumber(ARGV[3]) do
  local page = redis.call('ZRANGEBYLEX', KEYS[3], after, '(' .. ARGV[1] .. ':', 'LIMIT', 0, ARGV[3])
  if #page == 0 then break end
  for _, member in ipairs(page) do
    local id = string.sub(member, ${CREATED + 1})
    local head = redis.call('HGET', KEYS[2], id)
    local live = head and (tonumber(string.sub(head, ${CREATED + 1}, ${EXPIRY})) or 0) > now
    local record = live and redis.call('HGET', KEYS[1], id)
    if record and #reply < tonumber(ARGV[3]) then reply[#reply + 1] = record end
    after = '(' .. member
  end
end
return reply
`)
