export { fromIoredis, type IoredisClient } from './connection/ioredis.ts'
export type { RedisAddress } from './connection/deployments.ts'
export {
  type RedisConnection,
  type RedisReader,
  type RedisReply,
  RedisReplyError,
  RedisUnavailable,
} from './connection/connection.ts'
export { redis, type RedisOptions, type RedisStores } from './redis.ts'
export type { RedisEventLimits } from './stores/event-store.ts'
export type { RedisTaskLimits } from './stores/task-store.ts'
export type { RedisUsedStateLimits } from './stores/used-states.ts'
