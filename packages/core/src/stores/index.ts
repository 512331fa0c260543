export { type AuthInfo, ANONYMOUS } from './principal.ts'
export {
  type Bus,
  type BusListener,
  type ChangeEvent,
  CHANGES_TOPIC,
  MemoryBus,
  type MemoryBusOptions,
} from './bus.ts'
export { type Clock, systemClock } from '../util/clock.ts'
export type {
  AppendResult,
  Cursor,
  EventStore,
  SeizedStream,
  StoredEvent,
  StreamKey,
  StreamLease,
  StreamOrigin,
  StreamState,
} from './event-store.ts'
export { MemoryEventStore } from './memory-event-store.ts'
export { MemoryNodes, type MemoryNodesOptions, type NodeListener, type Nodes } from './nodes.ts'
export type {
  SessionKey,
  SessionLifetime,
  SessionRecord,
  SessionStore,
  StoredSession,
} from './session-store.ts'
export {
  changeTask,
  isAnonymousOwner,
  maxTasksOf,
  MemoryTaskStore,
  type MemoryTaskStoreOptions,
  type TaskChange,
  type TaskCounts,
  type TaskKey,
  type TaskPosition,
  type TaskRecord,
  type TaskStore,
} from './task-store.ts'
export { MemoryUsedStates, type MemoryUsedStatesOptions, type UsedStates } from './used-states.ts'
export type { SharedStats, SharedStores } from './shared-stores.ts'
export { type Logger, safeLogger, stderrLogger } from '../util/logger.ts'
