export { collectStream } from './adapter/body.ts'
export { nodeConnection, type NodeConnection } from './adapter/connection.ts'
