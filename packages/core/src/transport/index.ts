export { createMemoryTransportPair } from './memory.ts'
export type { SendOptions, Transport, TransportClose, TransportHandlers } from './transport.ts'
