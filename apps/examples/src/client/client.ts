import { Client, type ClientTransport, McpError } from '@jetway/client'
import { defineTool } from '@jetway/core'
import { z } from 'zod'

// #region connect
/** Returns a server's tools in a format for a model. */
export async function describeTools(transport: ClientTransport): Promise<readonly string[]> {
  await using client = new Client({ name: 'my-host', version: '1.0.0' })
  await client.connect(transport)
  const tools = await client.listTools()
  return tools.map(({ name, description = '' }) => `${name}: ${description}`)
}
// #endregion

// #region call
export async function exportOrders(client: Client, signal: AbortSignal): Promise<string> {
  try {
    const { content, isError } = await client.callTool(
      'export_orders',
      {},
      {
        signal,
        timeoutMs: 30_000,
        onProgress: ({ progress, total }) => console.error(`${progress} of ${total}`),
      },
    )
    const [block] = content
    if (isError === true || block?.type !== 'text') throw new Error('There is no export')
    return block.text
  } catch (error) {
    if (error instanceof McpError) return `Refused with ${error.code}`
    throw error
  }
}
// #endregion

// #region task
/** Starts a long-running call. Another process can use the returned id to wait for its result. */
export async function startExport(client: Client): Promise<string> {
  const { taskId } = await client.startTask('export_orders')
  return taskId
}

export async function waitForExport(client: Client, taskId: string, signal: AbortSignal): Promise<string> {
  const task = client.task(taskId)
  const { status, statusMessage = '' } = await task.get()
  console.error(`${status} ${statusMessage}`)
  const { content } = await task.result({ signal })
  return JSON.stringify(content)
}
// #endregion

// #region typed
export const getOrder = defineTool({
  name: 'get_order',
  inputSchema: z.object({ id: z.string() }),
  outputSchema: z.object({ total: z.number(), paid: z.boolean() }),
  handler: () => ({ total: 0, paid: false }),
})

export async function totalOf(client: Client, id: string): Promise<number> {
  const { structuredContent } = await client.callTool(getOrder, { id })
  return structuredContent?.total ?? 0
}
// #endregion

// #region handlers
export const createHost = (ask: (question: string) => Promise<boolean>): Client =>
  new Client(
    { name: 'my-host', version: '1.0.0' },
    {
      name: 'shop',
      handlers: {
        elicit: async ({ message, requestedSchema }, { name }) => {
          const [field = ''] = Object.keys(requestedSchema.properties)
          return (await ask(`${name} asks: ${message}`))
            ? { action: 'accept', content: { [field]: true } }
            : { action: 'decline' }
        },
        roots: [{ uri: 'file:///home/ann/orders', name: 'orders' }],
      },
    },
  )
// #endregion

// #region changes
/** Keeps the list of tools up to date until the client is closed. */
export async function followTools(client: Client, show: (names: readonly string[]) => void): Promise<void> {
  const refresh = async (): Promise<void> => show((await client.listTools()).map(({ name }) => name))
  client.on('toolsChanged', refresh)
  client.on('changesMissed', refresh)
  await refresh()
}
// #endregion
