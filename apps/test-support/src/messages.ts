type Id = string | number

/** The newest revision with sessions. */
export const REVISION = '2025-11-25'
/** The newest revision. In it, every request describes its client. */
export const MODERN = '2026-07-28'

/** A JSON-RPC message. */
export interface SentMessage {
  readonly [member: string]: unknown
  readonly jsonrpc: '2.0'
  readonly id?: Id
  readonly method: string
  readonly params?: Readonly<Record<string, unknown>>
}

/** Returns a request. Its id is 1 by default. */
export const request = <I extends Id = number>(
  method: string,
  params?: object,
  id: I = 1 as I,
): SentMessage & { readonly id: I } => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params && { params: { ...params } }),
})

export const notification = (method: string, params?: object): SentMessage => ({
  jsonrpc: '2.0',
  method,
  ...(params && { params: { ...params } }),
})

export const ping = <I extends Id = number>(id?: I): SentMessage & { readonly id: I } =>
  request('ping', undefined, id)

export const callTool = <I extends Id = number>(
  name: string,
  args: object = {},
  { id, meta }: { readonly id?: I; readonly meta?: object } = {},
): SentMessage & { readonly id: I } =>
  request('tools/call', { name, arguments: args, ...(meta && { _meta: meta }) }, id)

export interface Initialize {
  readonly id?: Id
  readonly capabilities?: object
}

/** Returns the first message of a session. */
export const initialize = (
  protocolVersion: string = REVISION,
  { id = 1, capabilities = {} }: Initialize = {},
): SentMessage & { readonly id: Id } =>
  request('initialize', { protocolVersion, capabilities, clientInfo: { name: 'test', version: '1.0.0' } }, id)

export const INITIALIZED: SentMessage = notification('notifications/initialized')

/** Returns the `_meta` of requests without a session. */
export const requestMeta = (
  capabilities: object = {},
  version: string = MODERN,
): Record<string, unknown> => ({
  'io.modelcontextprotocol/protocolVersion': version,
  'io.modelcontextprotocol/clientCapabilities': capabilities,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
})
