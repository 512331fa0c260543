// #region route
import { toFetch } from '@jetway/core/http'
import { nodeConnection } from '@jetway/node/connection'
import { defineHandler } from 'nitro/h3'
import { authenticate, server } from '../../lib/server.ts'

const handler = toFetch(server, {
  allowedHosts: ['localhost', '127.0.0.1'],
  connection: nodeConnection,
  authenticate,
})

export default defineHandler((event) => handler(event.req))
// #endregion
