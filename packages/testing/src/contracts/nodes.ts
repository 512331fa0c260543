import type { JsonObject } from '@jetway/core/protocol'
import type { Nodes } from '@jetway/core/stores'
import { describe, expect, it, vi } from 'vitest'

/** The nodes that a test uses. */
export interface NodesSubject {
  /** Two nodes of one deployment. */
  readonly nodes: readonly [Nodes, Nodes]
}

/** Creates new nodes for each test. */
export type CreateNodes = () => NodesSubject | Promise<NodesSubject>

/** Creates a listener that records messages. */
function inbox(): { readonly messages: JsonObject[]; readonly listener: (message: JsonObject) => void } {
  const messages: JsonObject[] = []
  return { messages, listener: (message) => void messages.push(message) }
}

function delivery(create: CreateNodes): void {
  it('deliver messages in order, and only to the addressed node', async () => {
    const { nodes } = await create()
    const [a, b] = nodes
    const atA = inbox()
    const atB = inbox()
    await a.join(atA.listener)
    await b.join(atB.listener)
    const sent = Array.from({ length: 100 }, (_, i) => ({ kind: 'test', i, text: 'é\u{1f600}' }))
    for (const message of sent) expect(await a.send(b.id, message)).toBe(true)
    await vi.waitFor(() => expect(atB.messages).toHaveLength(100))
    expect(atB.messages).toEqual(sent)
    expect(atA.messages).toEqual([])
  })

  it('deliver messages that a node sends to itself', async () => {
    const { nodes } = await create()
    const [a] = nodes
    const { messages: received, listener } = inbox()
    await a.join(listener)
    expect(await a.send(a.id, { to: 'itself' })).toBe(true)
    await vi.waitFor(() => expect(received).toEqual([{ to: 'itself' }]))
  })

  it('deliver messages to every listener on a node until the listener leaves', async () => {
    const { nodes } = await create()
    const [a, b] = nodes
    const first = inbox()
    const second = inbox()
    const leave = await b.join(first.listener)
    await b.join(second.listener)
    await a.send(b.id, { n: 1 })
    await vi.waitFor(() => expect([first.messages, second.messages]).toEqual([[{ n: 1 }], [{ n: 1 }]]))
    await leave()
    await leave()
    await a.send(b.id, { n: 2 })
    await vi.waitFor(() => expect(second.messages).toHaveLength(2))
    expect(first.messages).toEqual([{ n: 1 }])
  })
}

function lives(create: CreateNodes): void {
  it('have unique ids that contain only safe characters', async () => {
    const { nodes } = await create()
    const [a, b] = nodes
    expect(a.id).not.toBe(b.id)
    for (const { id } of nodes) expect(id).toMatch(/^[A-Za-z0-9_-]{1,32}$/)
  })

  it('are alive from the time they join until their last listener has left', async () => {
    const { nodes } = await create()
    const [a, b] = nodes
    await a.join(() => {})
    const leaveFirst = await b.join(() => {})
    const leaveLast = await b.join(() => {})
    expect(await a.alive([a.id, b.id])).toEqual([true, true])
    await leaveFirst()
    expect(await a.alive([b.id])).toEqual([true])
    expect(await a.send(b.id, {})).toBe(true)
    await leaveLast()
    await vi.waitFor(async () => expect(await a.alive([b.id, a.id])).toEqual([false, true]))
    expect(await a.send(b.id, {})).toBe(false)
    expect(await a.alive([])).toEqual([])
  })
}

/** The contract of Nodes, as Vitest tests. Calls `create` for each of them. */
export function describeNodes(name: string, create: CreateNodes): void {
  describe(`nodes: ${name}`, () => {
    delivery(create)
    lives(create)
  })
}
