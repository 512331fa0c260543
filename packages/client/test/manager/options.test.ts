import { describe, expect, it } from 'vitest'
import { resolveReconnect, waitBefore } from '../../src/manager/backoff.ts'
import { resolveManagerOptions } from '../../src/manager/options.ts'
import { toolTest } from '../../src/manager/tool-filter.ts'
import { uniqueNames } from '../../src/unique-names.ts'
import { scriptedTarget, world } from './support/world.ts'

const DEFAULTS = {
  maxAttempts: 5,
  initialDelayMs: 1_000,
  factor: 2,
  maxDelayMs: 30_000,
  jitter: 0.5,
  stableMs: 30_000,
}

describe('manager options', () => {
  it('have defaults', () => {
    expect(resolveManagerOptions({})).toEqual({
      handlers: {},
      filters: {},
      reconnectWaitMs: 30_000,
      listTimeoutMs: 30_000,
      maxServers: 256,
      clock: expect.any(Object) as object,
      random: Math.random,
      reconnect: DEFAULTS,
    })
  })

  it('are rejected if they are unknown', () => {
    expect(() => world({ maxServer: 1 } as object)).toThrow('maxServers')
    expect(() => world({ reconnect: { attempts: 1 } } as object)).toThrow('reconnect')
  })

  it.each([0, 1, 0.5])('accept a `jitter` of %d', (jitter) => {
    expect(resolveReconnect({ jitter })).toEqual({ ...DEFAULTS, jitter })
  })

  it.each([
    [{ jitter: 1.01 }, 'reconnect.jitter must be 1 at most'],
    [{ factor: -1 }, 'reconnect.factor must be a number from 0, and is -1'],
    [{ stableMs: Number.NaN }, 'reconnect.stableMs must be a number from 0, and is NaN'],
  ])('are rejected if their values are out of range: %j', (reconnect, message) => {
    expect(() => resolveReconnect(reconnect)).toThrow(message)
  })

  it.each([
    [1, 0, 1_000],
    [3, 0, 4_000],
    [3, 1, 2_000],
    [3, 0.5, 3_000],
    [6, 0, 30_000],
    [1, 0.3333, 833],
  ])('given attempt %i and random value %d, produce a delay of %i ms', (attempt, random, ms) => {
    expect(waitBefore(attempt, DEFAULTS, random)).toBe(ms)
  })
})

describe('a server name', () => {
  it.each([
    ['', 'of 1 to 128 characters'],
    [' \t', 'of 1 to 128 characters'],
    ['x'.repeat(129), 'of 1 to 128 characters'],
    [5, 'of 1 to 128 characters'],
    ['a\u0007', 'printable characters only'],
    ['a\u202Eb', 'printable characters only'],
  ])('is rejected if it is %j', async (name, message) => {
    await expect(world().manager.connect(name as string, scriptedTarget().target)).rejects.toThrow(message)
  })

  it('may have up to 128 characters', async () => {
    const { manager } = world()
    await manager.connect('x'.repeat(128), scriptedTarget().target)
    expect(manager.names()).toEqual(['x'.repeat(128)])
  })

  it('is truncated in the error for an unknown server', async () => {
    const { manager } = world()
    await expect(manager.reconnect('x'.repeat(200))).rejects.toThrow(
      `There is no server ${'x'.repeat(128)}; none is connected`,
    )
    expect(await manager.close('x')).toBe(false)
    expect(manager.get('x')).toBeUndefined()
  })
})

it.each<[object | undefined, readonly string[]]>([
  [undefined, ['read', 'read_all', 'write']],
  [{ allow: [] }, []],
  [{ allow: ['read'] }, ['read']],
  [{ allow: ['read*'] }, ['read', 'read_all']],
  [{ allow: ['*d*'] }, ['read', 'read_all']],
  [{ allow: ['r*d'] }, ['read']],
  [{ allow: ['*re*ad*all'] }, ['read_all']],
  [{ allow: ['*e*e*'] }, []],
  [{ allow: ['rea*ad'] }, []],
  [{ allow: ['*ite*e'] }, []],
  [{ deny: ['*e'] }, ['read', 'read_all']],
  [{ allow: ['*'], deny: ['read'] }, ['read_all', 'write']],
])('toolTest with %j allows %j', (filter, allowed) => {
  const allows = toolTest(filter)
  expect(['read', 'read_all', 'write'].filter((tool) => allows(tool))).toEqual(allowed)
})

describe('uniqueNames', () => {
  const named = (names: readonly string[], max?: number) =>
    uniqueNames(names.map((name, at) => ({ name, identity: `${name} ${at}` })), max) // prettier-ignore

  it('keeps a name that is short enough and has only allowed characters', async () => {
    const [longest = '', ...rest] = await named(['x'.repeat(40), 'y'.repeat(41), 'a b', ''], 40)
    expect(longest).toBe('x'.repeat(40))
    expect(rest).toEqual([
      expect.stringMatching(/^y{31}_[0-9a-f]{8}$/),
      expect.stringMatching(/^a_b_[0-9a-f]{8}$/),
      expect.stringMatching(/^_[0-9a-f]{8}$/),
    ])
    expect(await named(['a b', ''])).toEqual(['a b', ''])
  })

  it('lengthens a digest that is already in use, and omits an entry that cannot be made unique', async () => {
    const [, second = ''] = await named(['a', 'a'])
    expect(second).toMatch(/^a_[0-9a-f]{8}$/)
    const twice = await uniqueNames([
      { name: 'a', identity: 'a 0' },
      { name: 'a', identity: 'a 1' },
      { name: second, identity: 'planned' },
    ], undefined) // prettier-ignore
    expect(twice.map((name) => name?.length)).toEqual([10, 10, 19])
    const same = Array.from({ length: 3 }, () => ({ name: 'a', identity: 'same' }))
    expect(await uniqueNames(same, undefined)).toEqual([undefined, undefined, undefined])
  })
})
