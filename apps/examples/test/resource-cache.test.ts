import { McpServer } from '@jetway/core'
import { connect } from '@jetway/testing'
import { beforeEach, expect, it } from 'vitest'
import { cache, readFor, readRates, signedOut } from '../src/client/resource-cache.ts'

beforeEach(() => cache.clear())

function rates(cacheScope: 'public' | 'private') {
  let reads = 0
  const server = new McpServer({ name: 'rates', version: '1.0.0' }, { cache: { ttlMs: 60_000 } })
  server.addResource({
    uri: 'rates://all',
    name: 'all',
    cache: { cacheScope },
    handler: () => `${++reads}`,
  })
  return { server, reads: () => reads }
}

it('the client reads from the server the first time, and from the cache afterwards', async () => {
  const { server, reads } = rates('private')
  await using client = await connect(server)
  const [first, second] = await readRates(client, ['rates://all', 'rates://all'])
  expect(first).toMatchObject({ contents: [{ text: '1' }] })
  expect(second).toBe(first)
  expect(reads()).toBe(1)
})

it.each([
  ['private', 2],
  ['public', 1],
] as const)('the client returns cached %s results only to permitted users', async (cacheScope, expected) => {
  const { server, reads } = rates(cacheScope)
  await using client = await connect(server)
  for (const user of ['ann', 'bob', 'ann']) await readFor(user, client, 'rates://all')
  expect(reads()).toBe(expected)
  signedOut('ann')
  await readFor('ann', client, 'rates://all')
  expect(reads()).toBe(expected + 1)
})
