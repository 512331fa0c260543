import { McpServer } from '@jetway/core'
import { serverCard } from '@jetway/core/card'
import { mcp } from '@jetway/fastify'
import Fastify from 'fastify'

export const app = Fastify()
// #region card
const server = new McpServer({ name: 'shop', version: '1.2.3', title: 'Shop' })

await app.register(mcp, {
  server,
  publicUrl: 'https://mcp.shop.example/mcp',
  card: serverCard({
    name: 'io.github.ann/shop',
    description: 'Finds orders of your shop and refunds them',
    repository: { url: 'https://github.com/ann/shop', source: 'github' },
  }),
})
// #endregion
