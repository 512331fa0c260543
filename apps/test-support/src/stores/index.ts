export { MemoryNodes, type MemoryNodesOptions } from './memory-nodes.ts'
export * from './memory-session-store.ts'
