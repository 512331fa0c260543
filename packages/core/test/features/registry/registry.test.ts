import { describe, expect, it } from 'vitest'
import { Registry } from '../../../src/features/registry/registry.ts'

interface Definition {
  readonly name: string
  readonly value?: number
}

function create(): Registry<Definition, { name: string; value: number | undefined }> {
  return new Registry({
    kind: 'thing',
    key: (definition) => definition.name,
    build: ({ name, value }) => {
      if (value === -1) throw new RangeError('bad value')
      return { name, value }
    },
  })
}

const names = (registry: ReturnType<typeof create>): string[] => registry.entries().map((entry) => entry.name)
const tick = (): Promise<void> => Promise.resolve()

describe('Registry', () => {
  it('keeps the order of registration after an entry has been replaced', () => {
    const registry = create()
    for (const name of ['b', 'a', 'c']) registry.add({ name })
    registry.add({ name: 'a', value: 2 }, { replace: true })
    expect(names(registry)).toEqual(['b', 'a', 'c'])
    expect(registry.get('a')?.value).toBe(2)
  })

  it('rejects a duplicate name, and explains how to replace the entry', () => {
    const registry = create()
    registry.add({ name: 'a', value: 1 })
    expect(() => registry.add({ name: 'a', value: 2 })).toThrow(
      expect.objectContaining({
        code: 'ERR_MCP_DUPLICATE_NAME',
        message: expect.stringContaining('replace: true'),
      }),
    )
    expect(registry.get('a')?.value).toBe(1)
  })

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'prototype'])(
    'accepts %s as a name',
    (name) => {
      const registry = create()
      expect(registry.get(name)).toBeUndefined()
      expect(registry.remove(name)).toBe(false)
      registry.add({ name, value: 1 })
      expect(registry.get(name)?.value).toBe(1)
      expect(() => registry.add({ name })).toThrow(/already/)
      expect(registry.remove(name)).toBe(true)
      expect(names(registry)).toEqual([])
    },
  )

  it('reports whether an entry was removed', () => {
    const registry = create()
    registry.add({ name: 'a' })
    expect(registry.remove('a')).toBe(true)
    expect(registry.remove('a')).toBe(false)
  })

  it('is marked as offered after any registration, even of an empty list', () => {
    const added = create()
    expect(added.offered).toBe(false)
    added.add({ name: 'a' }).remove()
    expect(added.offered).toBe(true)
    const emptied = create()
    emptied.set([])
    expect(emptied.offered).toBe(true)
  })

  it('stays unchanged if a new set contains an invalid or duplicate definition', () => {
    const registry = create()
    registry.add({ name: 'a' })
    const entries = registry.entries()
    expect(() => registry.set([{ name: 'b' }, { name: 'c', value: -1 }])).toThrow('bad value')
    expect(() => registry.set([{ name: 'b' }, { name: 'b' }])).toThrow(/already/)
    expect(names(registry)).toEqual(['a'])
    expect(registry.entries()).toBe(entries)
  })

  it('lists entries in the order of a new set', () => {
    const registry = create()
    registry.set([{ name: 'a' }, { name: 'b' }])
    registry.set([{ name: 'b' }, { name: 'a' }])
    expect(names(registry)).toEqual(['b', 'a'])
  })
})

describe('a registration handle', () => {
  it('updates the given members in a new entry, and keeps the others', () => {
    const registry = create()
    const handle = registry.add({ name: 'a', value: 1 })
    const before = registry.get('a')
    handle.update({ value: 2 })
    expect(registry.get('a')).toEqual({ name: 'a', value: 2 })
    expect(before?.value).toBe(1)
  })

  it('keeps the old entry if an update is invalid', () => {
    const registry = create()
    const handle = registry.add({ name: 'a', value: 1 })
    expect(() => handle.update({ value: -1 })).toThrow('bad value')
    expect(() => handle.update({ name: 'b' })).toThrow(/renamed/)
    expect(registry.get('a')?.value).toBe(1)
    handle.update({ value: 3 })
    expect(registry.get('a')?.value).toBe(3)
  })

  it('does nothing after its entry has been removed or replaced', async () => {
    const ends: ((registry: ReturnType<typeof create>) => void)[] = [
      (registry) => {
        registry.remove('a')
        registry.add({ name: 'a', value: 9 })
      },
      (registry) => registry.add({ name: 'a', value: 9 }, { replace: true }),
      (registry) => registry.set([{ name: 'a', value: 9 }]),
    ]
    for (const end of ends) {
      const registry = create()
      const handle = registry.add({ name: 'a', value: 1 })
      end(registry)
      await tick()
      let changes = 0
      registry.onChange(() => changes++)
      handle.update({ value: 2 })
      handle.remove()
      handle[Symbol.dispose]()
      await tick()
      expect(registry.get('a')?.value).toBe(9)
      expect(changes).toBe(0)
    }
  })

  it('removes its entry when it is disposed', () => {
    const registry = create()
    {
      using handle = registry.add({ name: 'a' })
      expect(handle.name).toBe('a')
    }
    expect(names(registry)).toEqual([])
  })

  it('keeps the methods of a definition that is a class instance', () => {
    class Thing {
      readonly name = 'a'
      readonly value: number | undefined = undefined
      greet(): string {
        return 'hello'
      }
    }
    const registry = new Registry<Thing, { greeting: string; value: number | undefined }>({
      kind: 'thing',
      key: (definition) => definition.name,
      build: (definition) => ({ greeting: definition.greet(), value: definition.value }),
    })
    registry.add(new Thing()).update({ value: 4 })
    expect(registry.get('a')).toEqual({ greeting: 'hello', value: 4 })
  })
})

describe('Registry.onChange', () => {
  it('calls listeners once per tick', async () => {
    const registry = create()
    let calls = 0
    registry.onChange(() => calls++)
    const handle = registry.add({ name: 'a' })
    for (let i = 0; i < 100; i++) registry.add({ name: `x${i}` })
    handle.update({ value: 2 })
    registry.remove('x1')
    expect(calls).toBe(0)
    await tick()
    expect(calls).toBe(1)
    registry.set([])
    await tick()
    expect(calls).toBe(2)
  })

  it('does not call listeners if nothing changed', async () => {
    const registry = create()
    let calls = 0
    registry.onChange(() => calls++)
    registry.remove('nothing')
    expect(() => registry.add({ name: 'a', value: -1 })).toThrow()
    await tick()
    expect(calls).toBe(0)
    expect(registry.offered).toBe(false)
  })

  it('does not call removed listeners, or listeners added later', async () => {
    const registry = create()
    let calls = 0
    registry.add({ name: 'a' })
    const end = registry.onChange(() => calls++)
    await tick()
    end()
    registry.add({ name: 'b' })
    await tick()
    expect(calls).toBe(0)
  })
})
