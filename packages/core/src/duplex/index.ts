export type { Connection, ConnectionOptions } from './connection.ts'
export {
  createMemoryTransportPair,
  type SendOptions,
  type Transport,
  type TransportClose,
  type TransportHandlers,
} from './transport.ts'
export type { MessageOptions } from './message-handler.ts'
