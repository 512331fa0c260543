import process from 'node:process'
import type { McpServer } from '@jetway/core'
import { serveStdio } from '@jetway/stdio'

/** Serves over stdio until the client disconnects or the process receives a signal. Then the process exits. */
export async function serveUntilEnd(
  server: McpServer,
  closed: () => Promise<void> | undefined,
): Promise<void> {
  const serving = await serveStdio(server, { exitOnEnd: false })
  await serving.closed
  await server.close()
  await closed()
  process.exit()
}
