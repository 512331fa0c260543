import { FakeClock, silent } from '@jetway-apps/test-support'
import { MemoryNodes } from '@jetway-apps/test-support/stores'
import { describe, expect, it, vi } from 'vitest'
import type { JsonObject } from '../../src/protocol/jsonrpc.ts'
import type { NodeListener, Nodes } from '../../src/stores/nodes.ts'
import type { TaskRecord } from '../../src/stores/task-store.ts'
import { TaskNodes } from '../../src/tasks/task-nodes.ts'

const KEY = { owner: 'o', taskId: 't' }
const taskAt = (node: string | undefined): TaskRecord => ({ ...KEY, node }) as TaskRecord

const OPTIONS = { clock: new FakeClock(), logger: silent }

const setUp = () => {
  const network = new Map<string, NodeListener>()
  const [here, there] = [new MemoryNodes({ network }), new MemoryNodes({ network })]
  const mail: unknown[] = []
  const tasks = new TaskNodes(there, OPTIONS, (key, message) => mail.push([key, message]))
  return { network, here, there, mail, tasks, sender: new TaskNodes(here, OPTIONS, () => {}) }
}

describe('TaskNodes', () => {
  it('joins the other nodes when the first task starts, and can join again after leaving', async () => {
    const { network, there, tasks } = setUp()
    expect([tasks.id, network.size]).toEqual([there.id, 0])
    for (let round = 0; round < 2; round++) {
      await Promise.all([tasks.ready(), tasks.ready()])
      expect([tasks.ready(), network.has(there.id)]).toEqual([undefined, true])
      await tasks.leave()
      await tasks.leave()
      expect(network.size).toBe(0)
    }
  })

  it('delivers messages from other nodes about the tasks on this node', async () => {
    const { there, mail, tasks, sender } = setUp()
    await Promise.all([tasks.ready(), sender.ready()])
    expect(await sender.send(taskAt(there.id), { kind: 'cancelled' })).toBe(true)
    const responses = { q: { a: 1 } }
    void sender.send(taskAt(there.id), { kind: 'answers', responses })
    await Promise.resolve()
    expect(mail).toEqual([
      [KEY, { kind: 'cancelled' }],
      [KEY, { kind: 'answers', responses }],
    ])
    for (const node of [undefined, sender.id, 'stopped'])
      expect(await sender.send(taskAt(node), { kind: 'cancelled' })).toBe(false)
  })

  it.each<JsonObject>([
    { mail: { kind: 'cancelled' } },
    { task: KEY },
    { task: { ...KEY, owner: 1 }, mail: { kind: 'cancelled' } },
    { task: { ...KEY, taskId: 1 }, mail: { kind: 'cancelled' } },
    { task: KEY, mail: { kind: 'other' } },
    { task: KEY, mail: { kind: 'answers' } },
    { task: KEY, mail: { kind: 'answers', responses: { q: 1 } } },
  ])('ignores a malformed message: %j', async (message) => {
    const { here, there, mail, tasks } = setUp()
    await tasks.ready()
    here.send(there.id, message)
    await Promise.resolve()
    expect(mail).toEqual([])
  })

  it('reports the nodes that have stopped', async () => {
    const { there, tasks, sender } = setUp()
    await tasks.ready()
    const stopped: boolean[] = []
    for (const node of [undefined, sender.id, there.id, 'gone'])
      stopped.push(await sender.hasStopped(taskAt(node)))
    expect(stopped).toEqual([false, false, false, true])
  })

  it('logs failures, assumes that unreachable nodes are still running, and can join again', async () => {
    const error = vi.fn<(fields: object, message: string) => void>()
    let fails = true
    const fail = (): never => {
      throw new Error('down')
    }
    const nodes: Nodes = {
      id: 'a',
      join: async () => (fails ? fail() : fail),
      send: () => false,
      alive: fail,
    }
    const tasks = new TaskNodes(nodes, { ...OPTIONS, logger: { ...silent, error } }, () => {})
    await expect(tasks.ready()).rejects.toThrow('down')
    fails = false
    await tasks.ready()
    expect(await tasks.hasStopped(taskAt('b'))).toBe(false)
    await tasks.leave()
    expect(error.mock.calls.map(([, message]) => message)).toEqual([
      'The node of a task could not be reached',
      'A node could not leave the others. Its lease expires',
    ])
  })
})
