import { createEverythingServer } from '@jetway-apps/everything/server'
import { silent } from '@jetway-apps/test-support'
import { listen } from '@jetway-apps/test-support/http'
import type { McpServer } from '@jetway/core'
import { mcp } from '@jetway/node'
import { onTestFinished } from 'vitest'

/** Serves everything over HTTP until the test has finished. */
export const serveEverything = (): Promise<string> => serve(createEverythingServer({ logger: silent }))

/** Serves over HTTP until the test has finished. Resolves to the URL. */
export async function serve(server: McpServer): Promise<string> {
  const { origin, release } = await listen(mcp({ server, path: '/mcp' }))
  onTestFinished(async () => {
    await server.close({ deadline: 0 })
    release()
  })
  return `${origin}/mcp`
}
