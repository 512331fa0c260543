export type { ServeStdioOptions, StdioServer } from './options.ts'
export { serveStdio, type StdioHandle } from './serve.ts'
export { DEFAULT_MAX_LINE_BYTES, StdioTransport, type StdioTransportOptions } from './transport.ts'
