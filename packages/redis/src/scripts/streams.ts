import { type Script, script } from '../commands/script.ts'

/*
 * The fields of a stream's state: e epoch, o writing node, k kind, f fence, n last position, b bytes of all
 * events except the final one, z ended, w follower, q<id> for each request without a response.
 *
 * An event is an entry <position>-<ms>: its order does not depend on a clock, and its age is known.
 */

/**
 * Stores events, and starts the stream before the first of them. Returns 1 if the events are stored, 0 if there is no
 * stream or they do not continue it, and -1 if another node has taken the stream over; then the follower, and the
 * streams beyond the limit, for the caller to delete. Ended streams have negative scores, so they are dropped first, and
 * several at once: otherwise a busy session would delete one stream with each response.
 *
 * The writer sends the arguments that start the stream until it has a reply, so a stream with this epoch exists already
 * if a command is repeated.
 *
 * KEYS: state, events, streams of the session.
 * ARGV: epoch, fence, final, limits of events, bytes and bytes of the final event, time to live of events and of a
 * stream that has not ended, stream, the number of arguments that start it: node, kind, limit of streams and requests;
 * then position, frame and answered request of each event.
 */
export const APPEND: Script = script(`
local first, over = 11 + ARGV[10], {}
if first > 11 and redis.pcall('HGET', KEYS[1], 'e') ~= ARGV[1] then
  redis.call('UNLINK', KEYS[1], KEYS[2])
  redis.call('HSET', KEYS[1], 'e', ARGV[1], 'o', ARGV[11], 'k', ARGV[12], 'f', 1, 'n', 0, 'b', 0)
  for i = 14, first - 1 do redis.call('HSET', KEYS[1], 'q' .. ARGV[i], 1) end
  redis.call('ZADD', KEYS[3], now, ARGV[9])
  local count = redis.call('ZCARD', KEYS[3]) - ARGV[13]
  if count > 0 then
    local ended = redis.call('ZCOUNT', KEYS[3], '-inf', 0)
    count = math.max(count, math.min(ended, count + math.floor(ARGV[13] / 16)))
    over = redis.call('ZRANGE', KEYS[3], 0, count - 1)
    redis.call('ZREMRANGEBYRANK', KEYS[3], 0, count - 1)
  end
end
local state = redis.call('HMGET', KEYS[1], 'e', 'f', 'n', 'z', 'b', 'w')
if state[1] ~= ARGV[1] then return {0, ''} end
if state[2] ~= ARGV[2] then return {-1, ''} end
if not tonumber(state[3]) or not tonumber(state[5]) then return {0, ''} end
local last, ended, bytes = tonumber(state[3]), state[4], tonumber(state[5])
local finalBytes
for i = first, #ARGV, 3 do
  local seq, frame = tonumber(ARGV[i]), ARGV[i + 1]
  if seq > last then
    if ended or seq ~= last + 1 then return {0, ''} end
    last = seq
    redis.call('XADD', KEYS[2], seq .. '-' .. string.format('%.0f', now), 'd', frame)
    if ARGV[3] == '1' and i + 2 == #ARGV then finalBytes = #frame else bytes = bytes + #frame end
    if ARGV[i + 2] ~= '' then redis.call('HDEL', KEYS[1], 'q' .. ARGV[i + 2]) end
  end
end
local final = (ended or finalBytes) and 1 or 0
local left = redis.call('XLEN', KEYS[2]) - final
local dropped = 0
while left > 0 do
  local oldest = redis.call('XRANGE', KEYS[2], (dropped + 1) .. '-0', '+', 'COUNT', 1)[1]
  local dash = string.find(oldest[1], '-', 1, true)
  local age = now - string.sub(oldest[1], dash + 1)
  if left <= tonumber(ARGV[4]) and bytes <= tonumber(ARGV[5]) and age <= tonumber(ARGV[7]) then break end
  dropped, left, bytes = tonumber(string.sub(oldest[1], 1, dash - 1)), left - 1, bytes - #oldest[2][2]
end
if dropped > 0 then redis.call('XTRIM', KEYS[2], 'MINID', (dropped + 1) .. '-0') end
redis.call('HSET', KEYS[1], 'n', last, 'b', bytes)
if finalBytes then
  if finalBytes > tonumber(ARGV[6]) then redis.call('UNLINK', KEYS[2]) end
  redis.call('HSET', KEYS[1], 'z', 1)
  redis.call('ZADD', KEYS[3], now - 1e13, ARGV[9])
end
if not ended then
  redis.call('PEXPIRE', KEYS[1], finalBytes and ARGV[7] or ARGV[8])
  redis.call('PEXPIRE', KEYS[2], ARGV[7])
  redis.call('PEXPIRE', KEYS[3], ARGV[8])
end
return {1, state[6] or '', over}
`)

/**
 * Returns the events after a position: 0 for an unknown position, 2 for an ended stream, else 1; then node,
 * kind, last position, follower and frames. A reader becomes the follower; a read by the writer removes the follower.
 *
 * KEYS: state, events. ARGV: epoch, position, time to live of events, reader.
 */
export const READ: Script = script(`
local state = redis.call('HMGET', KEYS[1], 'e', 'n', 'z', 'o', 'k', 'w')
local last, seq = tonumber(state[2]), tonumber(ARGV[2])
if state[1] ~= ARGV[1] or not last or seq > last then return {0} end
local reply = {state[3] and 2 or 1, state[4], state[5], last, ''}
if seq < last then
  local events = redis.call('XRANGE', KEYS[2], (seq + 1) .. '-0', '+')
  if not events[1] then return {0} end
  local dash = string.find(events[1][1], '-', 1, true)
  if tonumber(string.sub(events[1][1], 1, dash - 1)) ~= seq + 1 then return {0} end
  local old = now - string.sub(events[1][1], dash + 1) > tonumber(ARGV[3])
  if old and not (state[3] and seq + 1 == last) then return {0} end
  for i = 1, #events do reply[#reply + 1] = events[i][2][2] end
end
local follower = state[6] or ''
if ARGV[4] ~= '' and not state[3] then
  follower = ARGV[4] == state[4] and '' or ARGV[4]
  if follower == '' then redis.call('HDEL', KEYS[1], 'w') else redis.call('HSET', KEYS[1], 'w', follower) end
end
reply[5] = follower
return reply
`)

/**
 * Makes a node the writer. Returns nothing for an unknown or ended stream, else fence, last position, kind
 * and the requests without a response.
 *
 * KEYS: state. ARGV: epoch, node, time to live.
 */
export const SEIZE: Script = script(`
local state = redis.call('HMGET', KEYS[1], 'e', 'z', 'n', 'k')
if state[1] ~= ARGV[1] or state[2] or not tonumber(state[3]) or not state[4] then return {} end
redis.call('HDEL', KEYS[1], 'w')
redis.call('HSET', KEYS[1], 'o', ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
local reply = {redis.call('HINCRBY', KEYS[1], 'f', 1), tonumber(state[3]), state[4]}
for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
  if string.sub(field, 1, 1) == 'q' then reply[#reply + 1] = string.sub(field, 2) end
end
return reply
`)
