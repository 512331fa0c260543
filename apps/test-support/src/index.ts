export { type Deferred, deferred } from './deferred.ts'
export { FakeClock, settled } from './fake-clock.ts'
export { silent } from './logger.ts'
export {
  callTool,
  initialize,
  INITIALIZED,
  type Initialize,
  MODERN,
  notification,
  ping,
  request,
  requestMeta,
  REVISION,
  type SentMessage,
} from './messages.ts'
export { seeded } from './seeded.ts'
