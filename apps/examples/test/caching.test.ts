import { afterEach, expect, it, vi } from 'vitest'
import { market, server } from '../src/server/caching.ts'
import { peerOf } from './support.ts'

afterEach(() => void vi.useRealTimers())

async function hints(method: string, params: Record<string, unknown> = {}): Promise<readonly unknown[]> {
  const client = await peerOf(server, { revision: '2026-07-28' })
  const { result } = await client.request(method, params)
  await client.close()
  return [result?.['ttlMs'], result?.['cacheScope']]
}

it('the server applies the most specific cache hint: for the read, the resource, the kind or the server', async () => {
  expect(await hints('server/discover')).toEqual([60_000, 'private'])
  expect(await hints('resources/templates/list')).toEqual([60_000, 'private'])
  expect(await hints('resources/list')).toEqual([3_600_000, 'public'])
  expect(await hints('resources/read', { uri: 'rates://currencies' })).toEqual([86_400_000, 'public'])
})

it('the server lets clients cache a read until the exchange rates change', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000 })
  market.nextChange = 1_005_000
  expect(await hints('resources/read', { uri: 'rates://CHF' })).toEqual([5_000, 'private'])
  market.nextChange = 0
  expect(await hints('resources/read', { uri: 'rates://CHF' })).toEqual([0, 'private'])
})
