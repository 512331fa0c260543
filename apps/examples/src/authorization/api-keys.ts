import { createHash } from 'node:crypto'
import { McpServer } from '@jetway/core'
import type { Authenticate } from '@jetway/core/http'
import { mcp } from '@jetway/fastify'
import Fastify, { type FastifyInstance } from 'fastify'

const server = new McpServer({ name: 'files', version: '1.0.0' })
server.addTool({ name: 'whoami', handler: (_args, { auth }) => `You are ${auth?.principal}` })

// #region keys
interface Owner {
  readonly principal: string
  readonly scopes: readonly string[]
}

const digestOf = (key: string): string => createHash('sha256').update(key).digest('hex')

/** The owners, keyed by the SHA-256 of their keys, so that a leaked database does not reveal the keys. */
export const owners = new Map<string, Owner>()

const authenticate: Authenticate = (request) => {
  const key = request.header('x-api-key')
  return key === undefined ? undefined : owners.get(digestOf(key))
}
// #endregion

// #region create
export function createKey(owner: Owner): string {
  const key = crypto.randomUUID()
  owners.set(digestOf(key), owner)
  return key
}
// #endregion

// #region scopes
server.addTool({ name: 'delete_files', scopes: ['files:write'], handler: () => 'Deleted' })
// #endregion

export async function createApp(): Promise<FastifyInstance> {
  // #region mount
  const app = Fastify()
  await app.register(mcp, { server, authenticate })
  // #endregion
  return app
}
