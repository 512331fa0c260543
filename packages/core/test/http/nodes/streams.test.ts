import { settled } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import type { McpServer } from '../../../src/index.ts'
import { parseEventId } from '../../../src/http/streams/sse-format.ts'
import { deferred } from '../../../src/util/promises.ts'
import type { Answer, Message, TestSession, TestSink } from '../support/harness.ts'
import { type Cluster, createCluster, type TestNode } from '../support/nodes.ts'
import { addCount, createSteps } from '../support/steps.ts'

const VERSION = '2025-11-25'

interface Bench {
  readonly cluster: Cluster
  readonly a: TestNode
  readonly b: TestNode
  readonly c: TestNode
  /** A session opened on the first node. */
  readonly session: TestSession
  /** Lets every running call of `count` take one step. */
  readonly step: () => Promise<void>
}

/** Starts three nodes with the tool `count`. */
async function bench(): Promise<Bench> {
  const steps = createSteps()
  const setUp = (server: McpServer): void => addCount(server, steps)
  const cluster = createCluster()
  const [a, b, c] = [cluster.node({ setUp }), cluster.node({ setUp }), cluster.node({ setUp })]
  const session = await a.open({ version: VERSION })
  return { cluster, a, b, c, session, step: steps.step }
}

/** Starts a call, and lets it report the first number. */
async function started({ session, step }: Bench, to: number): Promise<Answer> {
  const pending = session.call('count', { to }, { id: 2, progressToken: 'p' })
  await settled()
  await step()
  return pending
}

const lastId = (sink: TestSink): string => sink.events.at(-1)?.id ?? ''
const resume = (node: TestNode, session: TestSession, from: string): Promise<Answer> =>
  node.at(session).get({ 'last-event-id': from })
const numbers = (messages: readonly Message[]): unknown[] =>
  messages.map(({ params, result, error }) => params?.['progress'] ?? (result ? 'result' : error?.code))

describe("a call's stream that is resumed on another node", () => {
  it('continues with each event exactly once and in order', async () => {
    const nodes = await bench()
    const first = await started(nodes, 5)
    await nodes.step()
    first.request.leave()
    await nodes.step()
    const second = await resume(nodes.b, nodes.session, lastId(first.sink))
    await nodes.step()
    second.request.leave()
    await nodes.step()
    const third = await resume(nodes.c, nodes.session, lastId(second.sink))
    await nodes.step()
    await third.sink.ended()
    const all = [first, second, third].flatMap(({ sink }) => sink.messages)
    expect(numbers(all)).toEqual([1, 2, 3, 4, 5, 'result'])
  })

  it('replaces a connection that is still open', async () => {
    const nodes = await bench()
    const first = await started(nodes, 3)
    const second = await resume(nodes.b, nodes.session, lastId(first.sink))
    await nodes.step()
    expect([first.sink.closed, numbers(second.sink.messages)]).toEqual([true, [2]])
    const third = await resume(nodes.a, nodes.session, lastId(second.sink))
    await nodes.cluster.clock.advance(1_000)
    expect(second.sink.closed).toBe(true)
    await nodes.step()
    await third.sink.ended()
    expect(numbers(third.sink.messages)).toEqual([3, 'result'])
  })

  it('replaces an earlier connection to the same node, and ends with its session', async () => {
    const nodes = await bench()
    const first = await started(nodes, 5)
    const second = await resume(nodes.b, nodes.session, lastId(first.sink))
    const third = await resume(nodes.b, nodes.session, lastId(first.sink))
    expect(second.sink.closed).toBe(true)
    await nodes.step()
    expect([numbers(third.sink.messages), third.sink.closed]).toEqual([[2], false])
    await nodes.b.at(nodes.session).delete()
    await settled()
    expect(third.sink.closed).toBe(true)
  })

  it('ends with an error if its original node has stopped', async () => {
    const nodes = await bench()
    const first = await started(nodes, 3)
    nodes.a.kill()
    const { sink } = await resume(nodes.b, nodes.session, lastId(first.sink))
    await sink.ended()
    expect(sink.messages).toMatchObject([{ id: 2, error: { code: -32_603 } }])
    expect((await resume(nodes.c, nodes.session, lastId(sink))).status).toBe(400)
  })

  it('ends with an error when its original node stops, and drops events that this node sends later', async () => {
    const nodes = await bench()
    const first = await started(nodes, 3)
    const { sink } = await resume(nodes.b, nodes.session, lastId(first.sink))
    nodes.a.kill()
    await nodes.cluster.clock.advance(1_000)
    await sink.ended()
    expect(numbers(sink.messages)).toEqual([-32_603])
    await nodes.step()
    await nodes.step()
    const again = await resume(nodes.c, nodes.session, lastId(first.sink))
    expect(numbers(again.sink.messages)).toEqual([-32_603])
  })

  it('is not found if its original node has stopped and the store has dropped the stream', async () => {
    const nodes = await bench()
    const first = await started(nodes, 3)
    nodes.a.kill()
    const { events } = nodes.cluster
    events.seize = (key) => {
      events.delete(key)
      return undefined
    }
    expect((await resume(nodes.b, nodes.session, lastId(first.sink))).status).toBe(400)
  })

  it('continues immediately if the client reconnects while its old connection is stalled', async () => {
    const nodes = await bench()
    const first = await started(nodes, 5)
    const second = await resume(nodes.b, nodes.session, lastId(first.sink))
    second.sink.stall()
    await nodes.step()
    const third = await resume(nodes.b, nodes.session, lastId(second.sink))
    second.sink.drain()
    await settled()
    expect(second.sink.closed).toBe(true)
    await nodes.step()
    expect(numbers(third.sink.messages)).toEqual([3])
  })

  it('continues after store failures, and logs them', async () => {
    const nodes = await bench()
    const { b, cluster } = nodes
    const first = await started(nodes, 5)
    const { sink } = await resume(b, nodes.session, lastId(first.sink))
    const read = cluster.events.read.bind(cluster.events)
    cluster.events.read = () => {
      throw new Error('down')
    }
    await nodes.step()
    b.shared.nodes.alive = () => Promise.reject(new Error('down'))
    await cluster.clock.advance(1_000)
    cluster.events.read = read
    await nodes.step()
    expect([numbers(sink.messages), sink.closed]).toEqual([[2, 3], false])
    expect(b.log.map(({ message }) => message)).toEqual([
      'The events of another node could not be read',
      'The writers of streams could not be checked',
    ])
  })

  it('contains the response if the call has ended, and cannot be resumed a second time', async () => {
    const nodes = await bench()
    const first = await started(nodes, 1)
    first.request.leave()
    await nodes.step()
    const [primer] = first.sink.events
    const second = await resume(nodes.b, nodes.session, primer?.id ?? '')
    await second.sink.ended()
    expect(numbers(second.sink.messages)).toEqual([1, 'result'])
    expect((await resume(nodes.c, nodes.session, lastId(second.sink))).status).toBe(400)
  })

  it('ends if the store has lost an event, and cannot be resumed again', async () => {
    const nodes = await bench()
    const { events } = nodes.cluster
    const first = await started(nodes, 4)
    const second = await resume(nodes.b, nodes.session, lastId(first.sink))
    const append = events.append.bind(events)
    events.append = () => ({ state: 'kept' })
    await nodes.step()
    events.append = append
    await nodes.step()
    await nodes.cluster.clock.advance(1_000)
    expect([second.sink.closed, numbers(second.sink.messages)]).toEqual([true, []])
    expect((await resume(nodes.c, nodes.session, lastId(first.sink))).status).toBe(400)
  })

  it('is unknown to other sessions', async () => {
    const nodes = await bench()
    const first = await started(nodes, 3)
    const other = await nodes.b.open({ version: VERSION })
    expect((await other.get({ 'last-event-id': lastId(first.sink) })).status).toBe(400)
  })
})

const change = (node: TestNode, name: string): unknown => node.server.addTool({ name, handler: () => name })
const methods = ({ sink }: Answer): unknown[] => sink.messages.map(({ method }) => method)
const CHANGED = 'notifications/tools/list_changed'

/** Starts three nodes, and opens a session's GET stream on the first one, which sends one notification. */
async function listening(): Promise<Bench & { readonly first: Answer }> {
  const nodes = await bench()
  const first = await nodes.session.get()
  change(nodes.c, 'one')
  await settled()
  return { ...nodes, first }
}

describe("a session's GET stream", () => {
  it('is replaced by a GET stream on another node, which starts by reporting that all lists changed', async () => {
    const nodes = await bench()
    const first = await nodes.session.get()
    const second = await nodes.b.at(nodes.session).get()
    await settled()
    expect(first.sink.closed).toBe(true)
    change(nodes.c, 'more')
    await settled()
    expect([methods(first), methods(second)]).toEqual([[], [CHANGED, CHANGED]])
    const third = await nodes.session.get()
    await settled()
    expect([second.sink.closed, third.sink.closed]).toEqual([true, false])
  })

  it('reports that all lists changed when it moves to another node, even if the old node still runs', async () => {
    const { first, ...nodes } = await listening()
    first.request.leave()
    change(nodes.c, 'two')
    await settled()
    const second = await resume(nodes.b, nodes.session, lastId(first.sink))
    change(nodes.c, 'three')
    await settled()
    // The first node may have missed changes before it lost the stream, for example while it was paused.
    expect([methods(first), methods(second)]).toEqual([[CHANGED], [CHANGED, CHANGED, CHANGED]])
  })

  it('reports no changes when it is resumed on the same node', async () => {
    const { first, ...nodes } = await listening()
    first.request.leave()
    const second = await resume(nodes.a, nodes.session, lastId(first.sink))
    await settled()
    expect(methods(second)).toEqual([])
  })

  it('reports that all lists changed when it is resumed after its node has stopped', async () => {
    const { first, ...nodes } = await listening()
    nodes.a.kill()
    const second = await resume(nodes.b, nodes.session, lastId(first.sink))
    await settled()
    expect(methods(second)).toContain(CHANGED)
    expect(second.sink.closed).toBe(false)
  })

  it('continues on another node after its own node has closed', async () => {
    const { first, ...nodes } = await listening()
    const closing = nodes.a.server.close()
    await first.sink.ended()
    await closing
    const second = await resume(nodes.b, nodes.session, lastId(first.sink))
    await settled()
    expect([second.status, methods(second)]).toEqual([200, [CHANGED]])
    change(nodes.c, 'two')
    await settled()
    expect(methods(second)).toEqual([CHANGED, CHANGED])
  })

  it('continues on its new node even if the old node writes late', async () => {
    const { first, ...nodes } = await listening()
    nodes.a.kill()
    const second = await resume(nodes.b, nodes.session, lastId(first.sink))
    change(nodes.c, 'two')
    await settled()
    expect(first.sink.closed).toBe(true)
    expect(second.sink.closed).toBe(false)
    const ids = second.sink.events.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it.each([
    ['at two nodes', ['b', 'c']],
    ['at all nodes', ['a', 'b', 'c']],
  ] as const)('stays open on one node if it is resumed %s at the same time', async (_, names) => {
    const { first, ...nodes } = await listening()
    first.request.leave()
    const answers = await Promise.all(
      names.map((name) => resume(nodes[name], nodes.session, lastId(first.sink))),
    )
    await settled()
    const open = answers.filter(({ status, sink }) => status === 200 && !sink.closed)
    expect(open).toHaveLength(1)
    const refused = answers.filter(({ status }) => status !== 200)
    expect(new Set(refused.map(({ status, headers }) => [status, headers['retry-after']].join()))).toEqual(
      new Set(refused.length === 0 ? [] : ['503,1']),
    )
    change(nodes.c, 'two')
    await settled()
    expect(methods(open[0] as Answer).at(-1)).toBe(CHANGED)
  })

  it('stays on the node that took it over last, even if an earlier node updates the record later', async () => {
    const { first, ...nodes } = await listening()
    const { b, c, session, cluster } = nodes
    first.request.leave()
    const { promise, resolve } = deferred()
    const replace = cluster.sessions.replace.bind(cluster.sessions)
    const held = async (...all: Parameters<typeof replace>): Promise<string | undefined> => {
      if (all[0].stream?.node === b.id) await promise
      return replace(...all)
    }
    cluster.sessions.replace = held as unknown as typeof replace
    const late = resume(b, session, lastId(first.sink))
    await settled()
    const second = await resume(c, session, lastId(first.sink))
    resolve()
    expect([(await late).status, second.status]).toEqual([503, 200])
    await settled()
    expect(second.sink.closed).toBe(false)
    change(nodes.a, 'two')
    await settled()
    expect(methods(second).filter((method) => method === CHANGED)).toHaveLength(2)
  })

  it.each([
    ['ignores mail of a node that has seized it before', 1, false],
    ['ends when another node has seized it after this one', 9, true],
  ])('%s', async (_, fence, closed) => {
    const { first, ...nodes } = await listening()
    first.request.leave()
    const second = await resume(nodes.b, nodes.session, lastId(first.sink))
    const stream = parseEventId(lastId(first.sink))?.stream ?? ''
    const mail = { kind: 'seized', stream, fence }
    const message = { principal: '', session: nodes.session.id, from: nodes.c.id, mail }
    await nodes.c.shared.nodes.send(nodes.b.id, message)
    await settled()
    expect(second.sink.closed).toBe(closed)
  })
})
