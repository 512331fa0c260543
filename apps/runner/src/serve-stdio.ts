import type { McpServer } from '@jetway/core'
import { serveStdio } from '@jetway/stdio'

/** Serves over stdio until the client disconnects or a signal arrives. Then the process ends. */
export async function serveUntilEnd(server: McpServer): Promise<void> {
  const serving = await serveStdio(server)
  await serving.closed
}
