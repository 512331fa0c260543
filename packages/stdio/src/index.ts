export { serveStdio, type ServeStdioOptions, type StdioHandle, type StdioServer } from './serve.ts'
export { DEFAULT_MAX_LINE_BYTES, StdioTransport, type StdioTransportOptions } from './transport.ts'
