import { expect, it } from 'vitest'
import { app } from '../src/publishing/card.ts'

it('the server in the guide publishes its card, and a catalog that names the card', async () => {
  const card = await app.inject('/mcp/server-card')
  expect(card.json()).toMatchObject({
    name: 'io.github.ann/shop',
    title: 'Shop',
    remotes: [{ url: 'https://mcp.shop.example/mcp' }],
  })
  const catalog = await app.inject('/.well-known/ai-catalog.json')
  expect(catalog.json()).toMatchObject({ entries: [{ url: 'https://mcp.shop.example/mcp/server-card' }] })
  await app.close()
})
