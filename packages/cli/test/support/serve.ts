import { createEverythingServer } from '@jetway-apps/everything/server'
import { listen } from '@jetway-apps/test-support/http'
import type { McpServer } from '@jetway/core'
import { mcp } from '@jetway/node'
import { onTestFinished } from 'vitest'

/** Serves the server with every feature over HTTP until the end of the test. */
export const serveEverything = (options?: Parameters<typeof createEverythingServer>[0]): Promise<string> =>
  serve(createEverythingServer(options))

/** Serves over HTTP until the end of the test. Resolves to the URL. */
export async function serve(server: McpServer): Promise<string> {
  const { origin, release } = await listen(mcp({ server, path: '/mcp' }))
  onTestFinished(async () => {
    await server.close({ deadline: 0 })
    release()
  })
  return `${origin}/mcp`
}
