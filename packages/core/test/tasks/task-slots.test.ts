import { describe, expect, it } from 'vitest'
import { CHANGES_TOPIC, MemoryBus } from '../../src/stores/bus.ts'
import { ANYONE } from '../../src/stores/task-store.ts'
import { TaskChanges } from '../../src/tasks/task-changes.ts'
import { TaskSlots } from '../../src/tasks/task-owner.ts'

describe('TaskSlots', () => {
  const taken = (slots: TaskSlots, owner: string): boolean => {
    try {
      slots.take(owner)
      return true
    } catch {
      return false
    }
  }

  it.each([
    [
      'one principal',
      ['principal:a', 'principal:a', 'principal:a', 'principal:b'],
      [true, true, false, true],
    ],
    ['one session', ['s:a', 's:a', 's:a', 's:b'], [true, true, false, true]],
    ['all anonymous clients', ['s:a', 's:b', 's:c', 's:d', 'principal:a'], [true, true, true, false, true]],
    ['clients that share an owner', [ANYONE, ANYONE, ANYONE, ANYONE], [true, true, true, false]],
    [
      'clients that share an owner, together with sessions',
      ['s:a', ANYONE, ANYONE, ANYONE],
      [true, true, true, false],
    ],
  ])('limits running tasks for %s', (_what, owners, expected) => {
    const slots = new TaskSlots({ maxRunning: 2, maxAnonymous: 3 })
    expect(owners.map((owner) => taken(slots, owner))).toEqual(expected)
  })

  it.each(['principal:a', 's:a', ANYONE])('lets another task use the slot that %s has released', (owner) => {
    const slots = new TaskSlots({ maxRunning: 1, maxAnonymous: 1 })
    expect(slots.unused).toBe(true)
    for (let round = 0; round < 3; round++) {
      expect([taken(slots, owner), taken(slots, owner), slots.unused]).toEqual([true, false, false])
      slots.free(owner)
      expect(slots.unused).toBe(true)
    }
  })

  it('frees one slot at a time', () => {
    const slots = new TaskSlots({ maxRunning: 2, maxAnonymous: 2 })
    for (let i = 0; i < 2; i++) slots.take('principal:a')
    slots.free('principal:a')
    expect([slots.unused, taken(slots, 'principal:a'), taken(slots, 'principal:a')]).toEqual([
      false,
      true,
      false,
    ])
  })
})

describe('TaskChanges', () => {
  it('subscribes to the bus only while someone is watching a task', () => {
    let subscribed = 0
    let onGap = (): void => {}
    const bus = new MemoryBus()
    const changes = new TaskChanges({
      publish: (topic, message) => bus.publish(topic, message),
      subscribe: (topic, listener, gap) => {
        subscribed++
        onGap = gap ?? onGap
        const end = bus.subscribe(topic, listener)
        return () => (subscribed--, end())
      },
    })
    const heard: string[] = []
    const publish = (taskId: string): void => bus.publish(CHANGES_TOPIC, { kind: 'task', owner: 'o', taskId })
    const leave = ['a', 'a again', 'b'].map((name) => changes.watch(name.slice(0, 1), () => heard.push(name)))
    expect(subscribed).toBe(1)
    for (const taskId of ['a', 'b', 'c']) publish(taskId)
    bus.publish(CHANGES_TOPIC, { kind: 'tools' })
    expect(heard.splice(0)).toEqual(['a', 'a again', 'b'])
    onGap()
    expect(heard.splice(0)).toEqual(['a', 'a again', 'b'])
    leave[0]?.()
    publish('a')
    expect(heard.splice(0)).toEqual(['a again'])
    leave[1]?.()
    expect(subscribed).toBe(1)
    leave[2]?.()
    expect(subscribed).toBe(0)
    changes.watch('a', () => heard.push('later'))
    publish('a')
    expect([subscribed, heard]).toEqual([1, ['later']])
  })
})
