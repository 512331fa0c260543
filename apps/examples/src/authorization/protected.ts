// #region whole
import { oauth } from '@jetway/auth'
import { McpServer } from '@jetway/core'
import { mcp } from '@jetway/fastify'
import Fastify from 'fastify'

const server = new McpServer({ name: 'files', version: '1.0.0' })
server.addTool({ name: 'whoami', handler: (_args, { auth }) => `You are ${auth?.principal}` })

export const app = Fastify()
const authenticate = oauth({ issuer: 'https://auth.example.com', scopes: ['mcp'] })
await app.register(mcp, { server, publicUrl: 'https://api.example.com/mcp', authenticate })
// #endregion whole
