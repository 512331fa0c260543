import { PassThrough } from 'node:stream'
import { serveStdio, StdioTransport } from '@jetway/stdio'
import type { MatrixTransport } from '../../src/matrix-transports.ts'

/** Stdio without a separate process. A stdio server has only one client, so each dial starts serving again. */
export const stdioTransport: MatrixTransport = {
  name: 'stdio',
  open: (server) => ({
    async dial() {
      const toServer = new PassThrough()
      const toClient = new PassThrough()
      await serveStdio(server, { input: toServer, output: toClient, drainMs: 50 })
      return new StdioTransport({ input: toClient, output: toServer })
    },
    close: () => server.close({ deadline: 0 }),
  }),
}
