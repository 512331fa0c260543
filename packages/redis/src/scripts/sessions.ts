import { type Script, script } from '../commands/script.ts'

/**
 * Replaces a record if its text still has the given hash.
 *
 * KEYS: record. ARGV: SHA-1 of the text, new text, time to live.
 */
export const REPLACE: Script = script(`
local text = redis.call('GET', KEYS[1])
if not text or redis.sha1hex(text) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1
`)

/** How long a session counts as new if it has not been initialized, in ms. */
const OPENING_MS = 10_000

/**
 * Adds a session to the index of its principal, or of all anonymous clients. If the limit is exceeded,
 * returns the sessions that expire first, which the caller must delete. New sessions expire soon, but are
 * kept as long as they make up at most half of the limit. Otherwise, clients that open sessions at the same
 * time would end each other's sessions.
 *
 * KEYS: sessions of the principal. ARGV: session, time to live, limit.
 */
export const ADD_TO_PRINCIPAL: Script = script(`
if redis.call('TYPE', KEYS[1]).ok ~= 'zset' then redis.call('UNLINK', KEYS[1]) end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
local dropped = {}
local over = redis.call('ZCARD', KEYS[1]) + 1 - ARGV[3]
local opened = now + ARGV[2]
local before = opened - ${OPENING_MS}
if over > 0 and redis.call('ZCOUNT', KEYS[1], '(' .. before, opened) * 2 > tonumber(ARGV[3]) then
  dropped = redis.call('ZRANGE', KEYS[1], 0, over - 1)
elseif over > 0 then
  dropped = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', before, 'LIMIT', 0, over)
  for _, session in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. opened, '+inf', 'LIMIT', 0, over - #dropped)) do
    dropped[#dropped + 1] = session
  end
end
for i = 1, #dropped do redis.call('ZREM', KEYS[1], dropped[i]) end
redis.call('ZADD', KEYS[1], opened, ARGV[1])
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return dropped
`)

/**
 * Extends the lifetime of a session that is in its principal's index.
 *
 * KEYS: sessions of the principal. ARGV: session, time to live.
 */
export const RENEW_OF_PRINCIPAL: Script = script(`
redis.call('ZADD', KEYS[1], 'XX', now + ARGV[2], ARGV[1])
local left = redis.call('PTTL', KEYS[1])
if left > 0 and left < tonumber(ARGV[2]) then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 1
`)
