export { EVERY_CAPABILITY } from './adapter-capabilities.ts'
export { type Deferred, deferred } from './deferred.ts'
export { FakeClock, settled } from './fake-clock.ts'
export { FULL } from './long-form.ts'
export { type LogLines, logLines, silent } from './logger.ts'
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
export { slowness } from './measure/slowness.ts'
export { type Sample, type Trend, trendOf } from './measure/trend.ts'
