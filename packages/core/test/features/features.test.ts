import { settled } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import { createFeatures, type Features } from '../../src/features/features.ts'
import { REVISIONS } from '../../src/protocol/revisions/index.ts'
import type { ChangeEvent } from '../../src/stores/bus.ts'
import { createTaskFeature } from '../../src/features/tasks/task-calls.ts'
import { tieredEngine } from '../../src/schema/tiered-engine.ts'
import { call } from './helpers.ts'
import { PARTS } from './parts.ts'

const handler = (): string => 'x'

function create(options: Partial<Parameters<typeof createFeatures>[0]> = {}): {
  features: Features
  events: ChangeEvent[]
} {
  const events: ChangeEvent[] = []
  const features = createFeatures({
    ...PARTS,
    schemas: tieredEngine(),
    publish: (event) => events.push(event),
    ...options,
  })
  return { features, events }
}

const noTasks = () =>
  createTaskFeature((): never => {
    throw new Error('no task was asked for')
  })

/** Resolves after the microtasks of the current tick. */

describe('the method table', () => {
  it('contains every method defined by any revision, except initialize', () => {
    const { features } = create({ tasks: noTasks() })
    const missing = REVISIONS.flatMap(({ methods }) =>
      [...methods].filter((method) => !features.methods.has(method)),
    )
    expect(new Set(missing)).toEqual(new Set(['initialize']))
  })

  it('responds to ping with an empty object', async () => {
    expect(await call(create().features.methods, 'ping')).toEqual({})
  })

  it('does not contain logging/setLevel if logging is off', () => {
    expect(create({ logging: false }).features.methods.has('logging/setLevel')).toBe(false)
  })
})

describe('capabilities', () => {
  it('reflect the registered features', () => {
    const { features } = create()
    expect(features.capabilities()).toEqual({ logging: {} })
    features.tools.registry.add({ name: 't', handler })
    expect(features.capabilities()).toEqual({ logging: {}, tools: { listChanged: true } })
    features.prompts.registry.add({ name: 'p', arguments: [{ name: 'a' }], handler })
    expect(features.capabilities()).toMatchObject({ prompts: { listChanged: true } })
    features.resources.templates.registry.add({ uriTemplate: 'w://{a}', name: 'w', handler })
    expect(features.capabilities()).toEqual({
      logging: {},
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
    })
  })

  it('include features whose list is empty, because entries may be added later', () => {
    const { features } = create({ logging: false })
    features.tools.registry.set([])
    features.prompts.registry.set([])
    features.resources.registry.set([])
    expect(features.capabilities()).toEqual({
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
    })
  })

  it('are cached in one object until something is registered', () => {
    const { features } = create()
    const before = features.capabilities()
    expect(features.capabilities()).toBe(before)
    features.tools.registry.add({ name: 't', handler })
    const after = features.capabilities()
    expect([before.tools, after.tools]).toEqual([undefined, { listChanged: true }])
    expect(features.capabilities()).toBe(after)
    features.resources.templates.registry.add({ uriTemplate: 'w://{a}', name: 'w', handler })
    expect(features.capabilities()).toHaveProperty('resources')
  })

  it('include tasks as soon as any session has a tool that supports tasks', () => {
    const { features } = create({ tasks: noTasks() })
    expect(features.capabilities()).not.toHaveProperty('tasks')
    features.createSessionRegistry().tools.add({ name: 't', taskSupport: 'optional', handler })
    expect(features.capabilities()).toHaveProperty('tasks')
  })

  it('include completions if a prompt or a template has a completer', () => {
    const complete = { a: () => [] }
    const prompts = create().features
    prompts.prompts.registry.add({ name: 'p', arguments: [{ name: 'a' }], complete, handler })
    expect(prompts.capabilities()).toMatchObject({ completions: {} })
    const templates = create().features
    templates.resources.templates.registry.add({ uriTemplate: 'w://{a}', name: 'w', complete, handler })
    expect(templates.capabilities()).toMatchObject({ completions: {} })
    const none = create().features
    none.prompts.registry.add({ name: 'p', complete: {}, handler })
    expect(none.capabilities()).not.toHaveProperty('completions')
  })
})

describe('change events', () => {
  it('are emitted once per tick for each kind of entry', async () => {
    const { features, events } = create()
    for (let i = 0; i < 50; i++) features.tools.registry.add({ name: `t${i}`, handler })
    features.prompts.registry.add({ name: 'p', handler })
    features.resources.templates.registry.add({ uriTemplate: 'w://{a}', name: 'w', handler })
    features.resources.registry.add({ uri: 'a://b', name: 'b', handler })
    features.resources.registry.remove('a://b')
    expect(events).toEqual([])
    await settled()
    expect(events.map(({ kind }) => kind).toSorted()).toEqual(['prompts', 'resources', 'tools'])
  })

  it('are emitted again for a later change', async () => {
    const { features, events } = create()
    for (const uriTemplate of ['w://{a}', 'v://{a}']) {
      features.resources.templates.registry.add({ uriTemplate, name: 'w', handler })
      await settled()
    }
    features.resources.registry.set([])
    await settled()
    expect(events).toEqual([{ kind: 'resources' }, { kind: 'resources' }, { kind: 'resources' }])
  })

  it('are not lost if the next change follows a few microtasks later', async () => {
    const { features, events } = create()
    const { registry } = features.resources
    registry.add({ uri: 'a://1', name: 'b', handler })
    for (let i = 0; i < 4; i++) await Promise.resolve()
    registry.add({ uri: 'a://2', name: 'b', handler })
    await settled()
    expect(events).toEqual([{ kind: 'resources' }, { kind: 'resources' }])
  })
})
