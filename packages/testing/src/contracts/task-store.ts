import type { TaskRecord, TaskStore } from '@jetway/core/stores'
import { describe, expect, it } from 'vitest'

/** The limits that `create` must set for its store. */
export interface TaskStoreLimits {
  /** The maximum number of tasks in total. */
  readonly max: number
  /** The maximum number of tasks per owner. */
  readonly maxPerOwner: number
  /** The maximum total size of all records as JSON, in bytes. */
  readonly maxBytes: number
}

/** An empty store for one test, and its clock. */
export interface TaskStoreSubject {
  readonly store: TaskStore
  /** Returns the time on the store's clock, in ms since 1970. */
  readonly now: () => number
  /** Advances the store's clock, in ms. */
  readonly pass: (ms: number) => Promise<void>
}

/** Creates an empty store that has the given limits, and its own defaults for all other limits. */
export type CreateTaskStore = (
  limits: Partial<TaskStoreLimits>,
) => TaskStoreSubject | Promise<TaskStoreSubject>

/** The time to live of tasks, in ms. Use a shorter time for a store whose clock runs in real time. */
const DEFAULT_TTL = 60_000

function recordAt(now: number, change: Partial<TaskRecord> = {}): TaskRecord {
  return {
    taskId: 'task-1',
    owner: 'alice',
    method: 'tools/call',
    revision: '1999-12-31',
    status: 'working',
    createdAt: now,
    updatedAt: now,
    ttlMs: DEFAULT_TTL,
    pollIntervalMs: 1_000,
    ...change,
  }
}

const FINAL = ['completed', 'failed', 'cancelled'] as const

function records(create: CreateTaskStore): void {
  it('returns the complete task', async () => {
    const { store, now } = await create({})
    const full = recordAt(now(), {
      node: 'node-1',
      statusMessage: 'Half done',
      status: 'input_required',
      inputs: { 'confirm-1': { method: 'elicitation/create', params: { message: 'Sure?' } } },
    })
    expect(await store.create(full)).toBe(true)
    expect(await store.get(full)).toEqual(full)
  })

  it('returns undefined for an unknown task', async () => {
    const { store, now } = await create({})
    const never = { owner: 'alice', taskId: 'never' }
    expect(await store.get(never)).toBeUndefined()
    expect(await store.update(never, { status: 'working', updatedAt: now() })).toBeUndefined()
    expect(await store.delete(never)).toBe(false)
    expect(await store.list('alice', { limit: 10 })).toEqual([])
  })

  it('rejects an id that already exists, for any owner', async () => {
    const { store, now } = await create({})
    const record = recordAt(now())
    expect(await store.create(record)).toBe(true)
    expect(await store.create({ ...record, statusMessage: 'again' })).toBe(false)
    expect(await store.create({ ...record, owner: 'bob' })).toBe(false)
    expect(await store.get(record)).toEqual(record)
  })

  it('returns a task only to its owner, and lets only the owner change it', async () => {
    const { store, now } = await create({})
    const record = recordAt(now())
    await store.create(record)
    for (const owner of ['', 'Alice', 'alice ', 'bob', '*', '__proto__']) {
      const key = { owner, taskId: 'task-1' }
      expect(await store.get(key)).toBeUndefined()
      expect(await store.update(key, { status: 'cancelled', updatedAt: now() })).toBeUndefined()
      expect(await store.delete(key)).toBe(false)
      expect(await store.list(owner, { limit: 10 })).toEqual([])
    }
    expect(await store.get(record)).toEqual(record)
  })

  it('deletes a record, and reports whether it existed', async () => {
    const { store, now } = await create({})
    const record = recordAt(now())
    await store.create(record)
    expect(await store.delete(record)).toBe(true)
    expect(await store.delete(record)).toBe(false)
    expect(await store.get(record)).toBeUndefined()
    expect(await store.list('alice', { limit: 10 })).toEqual([])
  })
}

function changes(create: CreateTaskStore): void {
  it('applies a change, and returns the changed record', async () => {
    const { store, now } = await create({})
    const record = recordAt(now())
    await store.create(record)
    const asking = {
      status: 'input_required' as const,
      statusMessage: 'Waiting',
      updatedAt: now() + 1,
      inputs: { 'a-1': { method: 'roots/list', params: {} } },
    }
    expect(await store.update(record, asking)).toEqual({ ...record, ...asking })
    const working = { status: 'working' as const, updatedAt: now() + 2 }
    expect(await store.update(record, working)).toEqual({ ...record, ...working })
    const done = { status: 'completed' as const, updatedAt: now() + 3, result: { content: [] } }
    expect(await store.update(record, done)).toEqual({ ...record, ...done })
    expect(await store.get(record)).toEqual({ ...record, ...done })
  })

  it.each(FINAL)('never changes a task that is %s', async (status) => {
    const { store, now } = await create({})
    const record = recordAt(now())
    await store.create(record)
    const error = { code: -32603, message: 'no' }
    const ended = await store.update(record, { status, updatedAt: now() + 1, error })
    for (const next of ['working', 'input_required', ...FINAL] as const)
      expect(await store.update(record, { status: next, updatedAt: now() + 2 })).toBeUndefined()
    expect(await store.get(record)).toEqual(ended)
  })

  it('lets only one of several concurrent changes end a task', async () => {
    const { store, now } = await create({})
    const record = recordAt(now())
    await store.create(record)
    const tries = await Promise.all(
      FINAL.map(async (status) => store.update(record, { status, updatedAt: now() + 1 })),
    )
    const [winner, ...others] = tries.filter((after) => after !== undefined)
    expect(others).toEqual([])
    expect(await store.get(record)).toEqual(winner)
  })
}

function lists(create: CreateTaskStore): void {
  it('lists tasks by creation time and then by id, page by page', async () => {
    const { store, now } = await create({})
    const start = now()
    const c = recordAt(start, { taskId: 'c' })
    const a = recordAt(start + 1, { taskId: 'a' })
    const b = recordAt(start + 1, { taskId: 'b' })
    const d = recordAt(start + 2, { taskId: 'd' })
    for (const record of [d, b, c, a]) await store.create(record)
    await store.create(recordAt(start, { taskId: 'e', owner: 'bob' }))
    expect(await store.list('alice', { limit: 10 })).toEqual([c, a, b, d])
    expect(await store.list('alice', { limit: 2 })).toEqual([c, a])
    expect(await store.list('alice', { limit: 2, after: a })).toEqual([b, d])
    expect(await store.list('alice', { limit: 2, after: d })).toEqual([])
  })

  it('continues a list even if the last task of the previous page has been deleted', async () => {
    const { store, now, pass } = await create({})
    for (const taskId of ['a', 'b', 'c']) {
      await store.create(recordAt(now(), { taskId }))
      await pass(1)
    }
    const [a, b] = await store.list('alice', { limit: 2 })
    await store.delete({ owner: 'alice', taskId: 'b' })
    expect(await store.list('alice', { limit: 2, after: b ?? recordAt(0) })).toHaveLength(1)
    expect(await store.list('alice', { limit: 2, after: a ?? recordAt(0) })).toHaveLength(1)
  })
}

function limits(create: CreateTaskStore, ttlMs: number): void {
  it('drops a task after its TTL, in every state', async () => {
    const { store, now, pass } = await create({})
    const brief = recordAt(now(), { taskId: 'brief', ttlMs: ttlMs / 2 })
    const long = recordAt(now(), { ttlMs })
    await store.create(brief)
    await store.create(long)
    await pass(ttlMs * 0.4)
    expect(await store.get(brief)).toBeDefined()
    await store.update(long, { status: 'completed', updatedAt: now() })
    await pass(ttlMs * 0.1)
    expect(await store.get(brief)).toBeUndefined()
    expect(await store.update(brief, { status: 'completed', updatedAt: now() })).toBeUndefined()
    expect(await store.delete(brief)).toBe(false)
    expect(await store.list('alice', { limit: 10 })).toHaveLength(1)
    await pass(ttlMs / 2)
    expect(await store.get(long)).toBeUndefined()
  })

  it('evicts the task that ended first, and never a running one', async () => {
    const { store, now, pass } = await create({ max: 3, maxPerOwner: 100 })
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((taskId) =>
      recordAt(now(), { taskId, owner: `owner of ${taskId}` }),
    ) as [TaskRecord, TaskRecord, TaskRecord, TaskRecord]
    for (const record of [a, b, c]) expect(await store.create(record)).toBe(true)
    expect(await store.create(d)).toBe(false)
    for (const record of [b, a]) {
      await pass(1)
      await store.update(record, { status: 'completed', updatedAt: now() })
    }
    expect(await store.create(d)).toBe(true)
    expect(await store.get(b)).toBeUndefined()
    expect(await store.get(a)).toBeDefined()
    expect(await store.get(c)).toBeDefined()
  })

  it('applies the limit to each owner separately', async () => {
    const { store, now } = await create({ maxPerOwner: 2 })
    for (const taskId of ['a', 'b']) expect(await store.create(recordAt(now(), { taskId }))).toBe(true)
    expect(await store.create(recordAt(now(), { taskId: 'c' }))).toBe(false)
    expect(await store.create(recordAt(now(), { taskId: 'c', owner: 'bob' }))).toBe(true)
    await store.update({ owner: 'bob', taskId: 'c' }, { status: 'completed', updatedAt: now() })
    expect(await store.create(recordAt(now(), { taskId: 'd' }))).toBe(false)
    await store.update({ owner: 'alice', taskId: 'b' }, { status: 'completed', updatedAt: now() })
    expect(await store.create(recordAt(now(), { taskId: 'd' }))).toBe(true)
    expect(await store.get({ owner: 'bob', taskId: 'c' })).toBeDefined()
  })
}

function bytes(create: CreateTaskStore): void {
  it('keeps the newest results within maxBytes, and rejects a result that is too large', async () => {
    const { store, now, pass } = await create({ maxBytes: 8_000 })
    const result = { content: [{ type: 'text', text: 'x'.repeat(3_000) }] }
    for (const taskId of ['a', 'b', 'c', 'd']) {
      await store.create(recordAt(now(), { taskId }))
      await store.update({ owner: 'alice', taskId }, { status: 'completed', updatedAt: now(), result })
      await pass(1)
    }
    const left = await store.list('alice', { limit: 10 })
    expect(left.map(({ taskId }) => taskId)).toEqual(['c', 'd'])
    const record = recordAt(now(), { taskId: 'e' })
    await store.create(record)
    const huge = { text: 'x'.repeat(20_000) }
    const refused = async (): Promise<unknown> =>
      store.update(record, { status: 'completed', updatedAt: now(), result: huge })
    await expect(refused()).rejects.toThrow()
    expect(await store.get(record)).toEqual(record)
    expect(await store.update(record, { status: 'failed', updatedAt: now() })).toBeDefined()
  })
}

function fairness(create: CreateTaskStore): void {
  const [ALICE, BOB] = ['principal:alice', 'principal:bob']

  it.each([
    ['tasks', 'one principal', { max: 4 }, '', () => ALICE],
    ['bytes', 'one principal', { maxBytes: 3_000 }, 'x'.repeat(900), () => ALICE],
    ['tasks', 'anonymous sessions', { max: 4 }, '', (i: number) => `session:${i}`],
  ])(
    'drops tasks of the caller that has the most if there are too many %s of %s',
    async (_1, _2, most, text, owner) => {
      const { store, now, pass } = await create(most)
      const end = async (taskId: string, of: string): Promise<void> => {
        await store.create(recordAt(now(), { taskId, owner: of }))
        const change = { status: 'completed', updatedAt: now(), result: { text } } as const
        await store.update({ taskId, owner: of }, change)
        await pass(1)
      }
      await end('first', BOB)
      for (let i = 0; i < 10; i++) await end(`${i}`, owner(i))
      const kept = async (taskId: string, of: string): Promise<boolean> =>
        (await store.get({ taskId, owner: of })) !== undefined
      expect([await kept('first', BOB), await kept('5', owner(5)), await kept('9', owner(9))]).toEqual([
        true,
        false,
        true,
      ])
    },
  )

  it("lets one caller's running tasks use at most half of the bytes", async () => {
    const { store, now } = await create({ maxBytes: 10_000 })
    const ask = async (taskId: string, owner: string): Promise<unknown> => {
      await store.create(recordAt(now(), { taskId, owner }))
      const inputs = { q: { method: 'elicitation/create', params: { message: 'x'.repeat(2_000) } } }
      return store.update({ taskId, owner }, { status: 'input_required', updatedAt: now(), inputs })
    }
    await ask('1', ALICE)
    await ask('2', ALICE)
    await expect(ask('3', ALICE)).rejects.toThrow('no room')
    expect(await ask('4', BOB)).toMatchObject({ status: 'input_required' })
  })
}

/** The contract of a TaskStore, as Vitest tests. Calls `create` for each of them. */
export function describeTaskStore(
  name: string,
  create: CreateTaskStore,
  { ttlMs = DEFAULT_TTL }: { readonly ttlMs?: number } = {},
): void {
  describe(`a task store: ${name}`, () => {
    records(create)
    changes(create)
    lists(create)
    limits(create, ttlMs)
    bytes(create)
    fairness(create)
  })
}
