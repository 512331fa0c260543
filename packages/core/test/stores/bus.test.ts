import { describe, expect, it, vi } from 'vitest'
import { type ChangeEvent, CHANGES_TOPIC, MemoryBus, onChange } from '../../src/stores/bus.ts'

describe('onChange', () => {
  const received = (message: unknown): readonly ChangeEvent[] => {
    const bus = new MemoryBus()
    const events: ChangeEvent[] = []
    onChange(bus, (event) => events.push(event))
    bus.publish(CHANGES_TOPIC, message as never)
    return events
  }
  const extension = { kind: 'extension', id: 'e', method: 'm', params: {} }
  const log = { kind: 'log', level: 'info', data: null }

  it.each([
    { kind: 'tools' },
    { kind: 'resources' },
    { kind: 'prompts' },
    { kind: 'elicitation', id: '' },
    { kind: 'task', owner: '', taskId: '' },
    extension,
    log,
    { ...log, logger: '' },
    { kind: 'resource', uri: '' },
    { kind: 'resource', uri: '', within: '' },
  ])('accepts %j, and drops unknown properties', (message) => {
    expect(received({ ...message, other: 1 })).toEqual([message])
  })

  it.each([
    null,
    'tools',
    {},
    { kind: 'gap' },
    { kind: 'elicitation', id: 1 },
    { kind: 'task', owner: 'o' },
    { kind: 'task', taskId: 't' },
    { ...extension, id: 1 },
    { ...extension, method: 1 },
    { ...extension, params: [] },
    { ...log, level: 'loud' },
    { kind: 'resource' },
    { kind: 'other', uri: 'u' },
  ])('ignores the malformed message %j', (message) => {
    expect(received(message)).toEqual([])
  })

  it.each([
    [{ ...log, logger: 1 }, log],
    [
      { kind: 'resource', uri: 'u', within: 1 },
      { kind: 'resource', uri: 'u' },
    ],
  ])('drops the malformed property of %j', (message, event) => {
    expect(received(message)).toEqual([event])
  })
})

describe('MemoryBus', () => {
  it('reports errors from listeners that throw or reject', async () => {
    const errors: unknown[] = []
    const bus = new MemoryBus({ onError: (error, topic) => errors.push([error, topic]) })
    bus.subscribe('a', () => {
      throw 'now'
    })
    const rejects: () => unknown = () => Promise.reject('later')
    bus.subscribe('a', rejects)
    bus.publish('a', 1)
    await vi.waitFor(() => expect(errors).toHaveLength(2))
    expect(errors).toEqual([
      ['now', 'a'],
      ['later', 'a'],
    ])
  })

  it('keeps a new listener that subscribes after all earlier listeners on the topic have left', () => {
    const bus = new MemoryBus()
    const heard: string[] = []
    const leave = bus.subscribe('a', () => heard.push('first'))
    leave()
    bus.subscribe('a', () => heard.push('second'))
    leave()
    bus.publish('a', 1)
    expect(heard).toEqual(['second'])
  })
})
