import { createEverythingServer } from '@jetway-apps/everything/server'
import { listen } from '@jetway-apps/test-support/http'
import { mcp } from '@jetway/node'
import { onTestFinished } from 'vitest'

/** Serves everything over HTTP until the test has finished. */
export async function serveEverything(): Promise<string> {
  const server = createEverythingServer()
  const { origin, release } = await listen(mcp({ server, path: '/mcp' }))
  onTestFinished(async () => {
    await server.close({ deadline: 0 })
    release()
  })
  return `${origin}/mcp`
}
