import { type Script, script } from '../commands/script.ts'

/**
 * Marks a principal's state as used. Returns 0 if the state has already been used, or expires no later than a
 * state that was dropped.
 *
 * KEYS: used states of the principal by expiry, expiry of the last dropped state. ARGV: nonce, expiry, time
 * to live, greatest difference of clocks, limit.
 */
export const TAKE_STATE: Script = script(`
if tonumber(ARGV[2]) <= (tonumber(redis.call('GET', KEYS[2]) or 0) or 0) then return 0 end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[4])
if redis.call('ZADD', KEYS[1], 'NX', ARGV[2], ARGV[1]) == 0 then return 0 end
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[3]) then redis.call('PEXPIRE', KEYS[1], ARGV[3]) end
local over = redis.call('ZCARD', KEYS[1]) - ARGV[5]
if over > 0 then
  local dropped = redis.call('ZPOPMIN', KEYS[1], over)
  redis.call('SET', KEYS[2], dropped[#dropped], 'PX', ARGV[3])
end
return 1
`)
