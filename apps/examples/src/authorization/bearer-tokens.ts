import { timingSafeEqual } from 'node:crypto'
import process from 'node:process'
import { McpServer } from '@jetway/core'
import { bearer, toFetch } from '@jetway/core/http'

const server = new McpServer({ name: 'files', version: '1.0.0' })
server.addTool({ name: 'delete_files', scopes: ['files:write'], handler: () => 'Deleted' })

// #region bearer
const secret = Buffer.from(process.env['TOKEN'] ?? '')

const authenticate = bearer({
  verify(token) {
    const given = Buffer.from(token)
    const equal = secret.length > 0 && given.length === secret.length && timingSafeEqual(given, secret)
    return equal ? { principal: 'ci', scopes: ['files:read'] } : undefined
  },
})
// #endregion

export const handler = toFetch(server, { authenticate, allowedHosts: ['api.example.com'] })
