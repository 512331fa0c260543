import { type Script, script } from '../commands/script.ts'

/**
 * Deletes a value of the wrong type that someone else has stored. Otherwise, the readers of the key would
 * receive no more messages.
 */
const unlinkUnlessStream = (key: string): string =>
  `if redis.call('TYPE', ${key}).ok ~= 'stream' then redis.call('UNLINK', ${key}) end`

/**
 * Renews a node's lease, and removes the messages that it has read.
 *
 * KEYS: lease, inbox, bus. ARGV: time to live of the lease and of the inbox, last read message.
 */
export const RENEW_LEASE: Script = script(`
redis.call('SET', KEYS[1], 1, 'PX', ARGV[1])
${unlinkUnlessStream('KEYS[2]')}
${unlinkUnlessStream('KEYS[3]')}
redis.call('XTRIM', KEYS[2], 'MINID', ARGV[3])
redis.call('PEXPIRE', KEYS[2], ARGV[2])
return 1
`)

/**
 * Adds messages to the bus.
 *
 * KEYS: bus. ARGV: limit on messages, publisher, and the number, topic and text of each message.
 */
export const PUBLISH: Script = script(`
${unlinkUnlessStream('KEYS[1]')}
for i = 3, #ARGV, 3 do
  redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[1], '*',
    'n', ARGV[2], 'i', ARGV[i], 't', ARGV[i + 1], 'd', ARGV[i + 2])
end
return 1
`)

/**
 * Sends a message to a node. Returns 0 if the node has stopped, or if its inbox is full.
 *
 * KEYS: lease, inbox. ARGV: message, limit on messages, time to live of the inbox.
 */
export const SEND: Script = script(`
if redis.call('EXISTS', KEYS[1]) == 0 or redis.call('XLEN', KEYS[2]) >= tonumber(ARGV[2]) then return 0 end
redis.call('XADD', KEYS[2], '*', 'd', ARGV[1])
redis.call('PEXPIRE', KEYS[2], ARGV[3])
return 1
`)
