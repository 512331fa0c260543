export {
  type BusSubject,
  type CreateBus,
  describeBus,
  describeLossyBus,
  type LossyBusSubject,
} from './bus.ts'
export {
  type CreateEventStore,
  describeEventStore,
  type EventStoreLimits,
  type EventStoreSubject,
} from './event-store.ts'
export { type CreateNodes, describeNodes, type NodesSubject } from './nodes.ts'
export { type CreateSessionStore, describeSessionStore, type SessionStoreSubject } from './session-store.ts'
export {
  type CreateTaskStore,
  describeTaskStore,
  type TaskStoreLimits,
  type TaskStoreSubject,
} from './task-store.ts'
export {
  type CreateUsedStates,
  describeUsedStates,
  type UsedStatesLimits,
  type UsedStatesSubject,
} from './used-states.ts'
