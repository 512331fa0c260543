import type { McpServer } from '@jetway/core'
import { serveStdio } from '@jetway/stdio'

/** Serves over stdio until the client goes or a signal comes; the process ends with it. */
export async function serveUntilEnd(server: McpServer): Promise<void> {
  const serving = await serveStdio(server)
  await serving.closed
}
