export { type AuthInfo, ANONYMOUS } from './principal.ts'
export { type Bus, type BusListener, type ChangeEvent, CHANGES_TOPIC } from './bus.ts'
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
export { MemoryBus, type MemoryBusOptions } from './memory-bus.ts'
export { MemoryEventStore } from './memory-event-store.ts'
export { MemoryNodes, type MemoryNodesOptions } from './memory-nodes.ts'
export { MemorySessionStore } from './memory-session-store.ts'
export { MemoryTaskStore, type MemoryTaskStoreOptions } from './memory-task-store.ts'
export { MemoryUsedStates, type MemoryUsedStatesOptions } from './memory-used-states.ts'
export type { NodeListener, Nodes } from './nodes.ts'
export type {
  SessionKey,
  SessionLifetime,
  SessionRecord,
  SessionStore,
  StoredSession,
} from './session-store.ts'
export type { SharedStats, SharedStores } from './shared-stores.ts'
export {
  changeTask,
  isAnonymousOwner,
  maxTasksOf,
  type TaskChange,
  type TaskCounts,
  type TaskKey,
  type TaskPosition,
  type TaskRecord,
  type TaskStore,
} from './task-store.ts'
export type { UsedStates } from './used-states.ts'
export { type Logger, safeLogger, stderrLogger } from '../util/logger.ts'
