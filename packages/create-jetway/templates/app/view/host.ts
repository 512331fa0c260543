/**
 * The view's side of the conversation with its host, as MCP Apps defines it:
 * https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx
 */

/** The result of a tool. */
export interface ToolResult {
  readonly structuredContent?: unknown
  readonly isError?: boolean
}

interface Message {
  readonly jsonrpc: '2.0'
  readonly id?: number
  readonly method?: string
  readonly params?: unknown
  readonly result?: unknown
  readonly error?: { readonly message: string }
}

type Settle = (message: Message) => void

const waiting = new Map<number, Settle>()
let lastId = 0

const send = (message: Omit<Message, 'jsonrpc'>): void => {
  const whole: Message = { jsonrpc: '2.0', ...message }
  // The origin of the host is not known to a view, and nothing secret is sent.
  window.parent.postMessage(whole, '*')
}

function request(method: string, params: unknown): Promise<unknown> {
  const id = (lastId += 1)
  return new Promise((resolve, reject) => {
    waiting.set(id, ({ result, error }) => {
      if (error === undefined) resolve(result)
      else reject(new Error(error.message))
    })
    send({ id, method, params })
  })
}

/** Connects to the host. `onResult` gets the result of the tool that this view shows. */
export async function connect(name: string, onResult: (result: ToolResult) => void): Promise<void> {
  window.addEventListener('message', ({ source, data }: MessageEvent<Message>) => {
    if (source !== window.parent || data?.jsonrpc !== '2.0') return
    if (data.method === 'ui/notifications/tool-result') onResult(data.params as ToolResult)
    else if (data.method === undefined && data.id !== undefined) {
      waiting.get(data.id)?.(data)
      waiting.delete(data.id)
    } else if (data.id !== undefined)
      // The host waits for an answer to each request, such as ping.
      send({ id: data.id, result: {} })
  })
  await request('ui/initialize', {
    protocolVersion: '2026-01-26',
    appInfo: { name, version: '1.0.0' },
    appCapabilities: {},
  })
  send({ method: 'ui/notifications/initialized', params: {} })
  new ResizeObserver(([entry]) => {
    const { width = 0, height = 0 } = entry?.target.getBoundingClientRect() ?? {}
    send({ method: 'ui/notifications/size-changed', params: { width, height } })
  }).observe(document.documentElement)
}

/** Calls a tool of the server, with the rights of the user. */
export const callTool = (name: string, args: object): Promise<ToolResult> =>
  request('tools/call', { name, arguments: args }) as Promise<ToolResult>
