export { createMemoryTransportPair } from './memory-transport.ts'
export type { SendOptions, Transport, TransportClose, TransportHandlers } from './transport.ts'
