import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'

it.each(['http/fastify-app', 'http/express-app', 'quickstart/hello-node'])(
  'the header timeout is 10 s and is checked every 5 s in %s',
  async (name) => {
    const source = await readFile(new URL(`../src/${name}.ts`, import.meta.url), 'utf8')
    expect(source).toContain('headersTimeout: 10_000')
    expect(source).toContain('connectionsCheckingInterval: 5_000')
  },
)
