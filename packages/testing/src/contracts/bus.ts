import type { Bus } from '@jetway/core/stores'
import { describe, expect, it } from 'vitest'

/** The nodes that share a bus. */
export interface BusSubject {
  /** Each node's view of the bus. In a single process, all nodes are the same object. */
  readonly nodes: readonly [Bus, ...Bus[]]
  /** Resolves when every published message has arrived at every node. */
  readonly settled: () => Promise<void>
}

/** Creates a new bus for each test. */
export type CreateBus = () => BusSubject | Promise<BusSubject>

interface Ends extends BusSubject {
  readonly first: Bus
  readonly last: Bus
}

async function open(create: CreateBus): Promise<Ends> {
  const { nodes, settled } = await create()
  const [first] = nodes
  return { nodes, settled, first, last: nodes.at(-1) ?? first }
}

function delivery(create: CreateBus): void {
  it('delivers messages on every node, but only to listeners on their topic', async () => {
    const { first, last, settled } = await open(create)
    const received: string[] = []
    first.subscribe('a', (message) => received.push(`1 ${JSON.stringify(message)}`))
    last.subscribe('a', (message) => received.push(`2 ${JSON.stringify(message)}`))
    last.subscribe('b', () => received.push('wrong topic'))
    await first.publish('a', { kind: 'tools' })
    await settled()
    expect(new Set(received)).toEqual(new Set(['1 {"kind":"tools"}', '2 {"kind":"tools"}']))
    expect(received).toHaveLength(2)
  })

  it("preserves the order of one publisher's messages", async () => {
    const { first, last, settled } = await open(create)
    const received: unknown[] = []
    last.subscribe('a', (message) => received.push(message))
    const all = Array.from({ length: 100 }, (_, i) => i)
    for (const i of all) await first.publish('a', i)
    await settled()
    expect(received).toEqual(all)
  })

  it('preserves the order of messages that a listener publishes', async () => {
    const { first, settled } = await open(create)
    const received: unknown[] = []
    first.subscribe('a', (message) => {
      if (message === 1) void first.publish('a', 2)
    })
    first.subscribe('a', (message) => received.push(message))
    await first.publish('a', 1)
    await settled()
    expect(received).toEqual([1, 2])
  })
}

function listeners(create: CreateBus): void {
  it('delivers messages to all other listeners if one listener throws', async () => {
    const { first, settled } = await open(create)
    let received = 0
    first.subscribe('a', () => {
      throw new Error('broken listener')
    })
    first.subscribe('a', () => void received++)
    await first.publish('a', null)
    await settled()
    expect(received).toBe(1)
  })

  it('removes only one subscription if that subscription is ended twice', async () => {
    const { first, settled } = await open(create)
    let received = 0
    const listener = (): void => void received++
    const leave = first.subscribe('a', listener)
    first.subscribe('a', listener)
    leave()
    leave()
    await first.publish('a', null)
    await settled()
    expect(received).toBe(1)
  })

  it('accepts a message for a topic without listeners', async () => {
    const { first } = await open(create)
    await first.publish('nobody', { any: ['json', 1, null] })
  })
}

/** The contract of a Bus, as Vitest tests. Calls `create` for each of them. */
export function describeBus(name: string, create: CreateBus): void {
  describe(`a bus: ${name}`, () => {
    delivery(create)
    listeners(create)
  })
}

/** Nodes on a bus that can lose messages. */
export interface LossyBusSubject extends BusSubject {
  /**
   * Publishes messages on any topic while the last node cannot receive them. Resolves when that node receives
   * messages again.
   */
  readonly lose: () => Promise<void>
}

/** The part of the contract that applies to a bus between processes, whose connections may break. */
export function describeLossyBus(name: string, create: () => Promise<LossyBusSubject>): void {
  describe(`a bus that can lose messages: ${name}`, () => {
    it('reports a gap to every listener on the node that missed messages, and continues', async () => {
      const { nodes, settled, lose } = await create()
      const [first] = nodes
      const last = nodes.at(-1) ?? first
      const received: unknown[] = []
      last.subscribe(
        'a',
        (message) => received.push(message),
        () => received.push('gap'),
      )
      await first.publish('a', 1)
      await settled()
      await lose()
      await first.publish('a', 2)
      await settled()
      expect(received).toEqual([1, 'gap', 2])
    })
  })
}
