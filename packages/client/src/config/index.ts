export { connect, type ConnectOptions } from './connect.ts'
export { dial } from './dial.ts'
export type { RemoteServer, ServerConfig, StdioServer } from './server-config.ts'
