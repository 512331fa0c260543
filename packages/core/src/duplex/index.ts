export type { Connection, ConnectionOptions } from './connection.ts'
export { createMemoryTransportPair } from './memory-transport.ts'
export type { MessageOptions } from './message-handler.ts'
export type { SendOptions, Transport, TransportClose, TransportHandlers } from './transport.ts'
