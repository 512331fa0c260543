import { describe, expect, it } from 'vitest'
import type { SharedStores } from '../../../src/stores/shared-stores.ts'
import { createCluster } from '../support/nodes.ts'
import { bytesOf, textOf } from '../support/rounds.ts'
import { begin, type Guarded, guarded, KEY, present, refusal } from '../support/state-misuse.ts'

const once = (shared: SharedStores): Guarded => guarded({ keys: [KEY], singleUse: true }, 'test', shared)

describe('a single-use requestState', () => {
  it('is accepted once, on any node', async () => {
    const cluster = createCluster()
    const [a, b] = [once(cluster.node().shared), once(cluster.node().shared)]
    const [first, second] = [await begin(a), await begin(a)]
    expect(textOf(await present(b, first))).toBe('done 1')
    for (const node of [a, b]) expect(bytesOf(await present(node, first))).toBe(await refusal(node))
    expect(textOf(await present(a, second))).toBe('done 1')
  })

  it('is refused with 503 while the store is unavailable', async () => {
    const { shared } = createCluster().node()
    shared.usedStates.take = () => Promise.reject(new Error('canary'))
    const server = once(shared)
    const refused = await present(server, await begin(server))
    expect([refused.status, refused.headers['retry-after'], server.done()]).toEqual([503, '1', 0])
    expect(refused.text).not.toContain('canary')
  })
})
