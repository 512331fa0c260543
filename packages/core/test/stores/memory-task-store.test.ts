import { FakeClock } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import { ANYONE, MemoryTaskStore, type TaskRecord } from '../../src/stores/task-store.ts'

describe('MemoryTaskStore', () => {
  const task = (taskId: string, change: Partial<TaskRecord> = {}): TaskRecord => ({
    taskId,
    owner: 'principal:ann',
    method: 'tools/call',
    revision: 'r',
    status: 'working',
    createdAt: 1_000_000,
    updatedAt: 0,
    ttlMs: 100,
    pollIntervalMs: 1,
    ...change,
  })
  const bytes = (record: TaskRecord): number => JSON.stringify(record).length

  it('counts its records and their bytes', async () => {
    const clock = new FakeClock()
    const store = new MemoryTaskStore({ clock })
    const [a, b] = [task('a'), task('b', { statusMessage: 'x', ttlMs: 50 })]
    for (const record of [a, b]) store.create(record)
    expect([store.size, store.bytes]).toEqual([2, bytes(a) + bytes(b)])
    store.update(a, { status: 'completed', updatedAt: 0, result: { x: 1 } })
    const ended = bytes({ ...a, status: 'completed', result: { x: 1 } })
    expect([store.size, store.bytes]).toEqual([2, ended + bytes(b)])
    store.delete(a)
    expect([store.size, store.bytes]).toEqual([1, bytes(b)])
    await clock.advance(49)
    expect([store.get(b), store.list(b.owner, { limit: 9 })]).toEqual([b, [b]])
    await clock.advance(1)
    expect(store.list(b.owner, { limit: 9 })).toEqual([])
    expect([store.get(b), store.size, store.bytes]).toEqual([undefined, 0, 0])
  })

  it('drops expired records to make room', async () => {
    const clock = new FakeClock()
    const store = new MemoryTaskStore({ clock, max: 1 })
    store.create(task('a'))
    expect(store.create(task('b'))).toBe(false)
    await clock.advance(100)
    expect([store.create(task('b', { ttlMs: 999 })), store.size]).toEqual([true, 1])
  })

  it.each([
    ['a principal', 'principal:ann', { max: 9, maxPerOwner: 3 }, 3],
    ['clients that share an owner', ANYONE, { max: 9, maxPerOwner: 3 }, 4],
    ['clients that share an owner while another owner has more', ANYONE, { max: 9, maxPerOwner: 5 }, 5],
    ['a principal by default', 'principal:ann', {}, 100],
    ['clients that share an owner by default', ANYONE, {}, 500],
  ])('limits the number of tasks for %s', (_what, owner, limits, most) => {
    const store = new MemoryTaskStore({ clock: new FakeClock(), ...limits })
    for (let i = 0; i < most + 2; i++) store.create(task(`${i}`, { owner }))
    expect(store.size).toBe(most)
  })

  it('limits the number of tasks to a thousand by default', () => {
    const store = new MemoryTaskStore({ clock: new FakeClock() })
    for (let i = 0; i < 1_001; i++) store.create(task(`${i}`, { owner: `principal:${i % 20}` }))
    expect(store.size).toBe(1_000)
  })

  it("lets a caller's running tasks use half of `maxBytes`, and a single ended task all of it", () => {
    const working = task('a')
    for (const [maxBytes, taken] of [
      [4 * bytes(working), true],
      [4 * bytes(working) - 1, false],
    ] as const) {
      const store = new MemoryTaskStore({ clock: new FakeClock(), maxBytes })
      store.create(working)
      expect(store.create(task('b'))).toBe(taken)
    }
    const ended = task('a', { status: 'completed' })
    for (const [maxBytes, taken] of [
      [bytes(ended), true],
      [bytes(ended) - 1, false],
    ] as const)
      expect(new MemoryTaskStore({ clock: new FakeClock(), maxBytes }).create(ended)).toBe(taken)
  })

  it('drops as many ended tasks as necessary from the caller with the most bytes', () => {
    const store = new MemoryTaskStore({ clock: new FakeClock(), maxBytes: 2_000 })
    const end = (taskId: string, owner: string, length: number): boolean =>
      store.create(task(taskId, { owner, status: 'completed', statusMessage: 'x'.repeat(length) }))
    for (const [taskId, owner, length] of [
      ['a', 'principal:ann', 400],
      ['b', 'principal:bob', 10],
      ['c', 'principal:ann', 400],
      ['d', 'principal:cat', 500],
    ] as const)
      expect(end(taskId, owner, length)).toBe(true)
    const left = ['a', 'b', 'c', 'd'].filter((taskId) =>
      ['ann', 'bob', 'cat'].some((name) => store.get({ taskId, owner: `principal:${name}` }) !== undefined),
    )
    expect(left).toEqual(['b', 'c', 'd'])
  })

  it.each([
    ['fits', 0, true],
    ['is one byte too large, so that another record is dropped', 1, false],
  ])('counts the new size of a record if the change %s', (_what, less, kept) => {
    const [other, running] = [task('other', { status: 'completed' }), task('a')]
    const change = { status: 'completed', updatedAt: 0, result: { text: 'x'.repeat(500) } } as const
    const maxBytes = bytes(other) + bytes({ ...running, ...change }) - less
    const store = new MemoryTaskStore({ clock: new FakeClock(), maxBytes })
    for (const record of [other, running]) expect(store.create(record)).toBe(true)
    expect(store.update(running, change)).toEqual({ ...running, ...change })
    expect(store.get(other) !== undefined).toBe(kept)
  })

  it('lists tasks with the same creation time in the order of their ids', () => {
    const store = new MemoryTaskStore({ clock: new FakeClock() })
    for (const taskId of ['b', 'a', 'c']) store.create(task(taskId))
    const list = (after?: string, limit = 9): unknown =>
      store
        .list('principal:ann', { limit, after: after === undefined ? undefined : task(after) })
        .map(({ taskId }) => taskId)
    expect([list(), list('a'), list('aa'), list('c'), list(undefined, 2)]).toEqual([
      ['a', 'b', 'c'],
      ['b', 'c'],
      ['b', 'c'],
      [],
      ['a', 'b'],
    ])
  })
})
