import { seeded } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import { McpServer, type ServerOptions } from '../../../src/index.ts'
import { bytesOf, sendRound, stateOf, textOf } from '../support/rounds.ts'
import {
  begin,
  CONFIRMED,
  type Guarded,
  guarded,
  KEY,
  OTHER_KEY,
  PAY,
  present,
  refusal,
  tryMutations,
} from '../support/state-misuse.ts'

const TEN_MINUTES = 600_000

interface Misuse {
  readonly what: string
  /** Presents a state that must not be accepted. Returns the server that received it, and the server's reply. */
  readonly try: () => Promise<{ readonly server: Guarded; readonly answer: string }>
}

const misuse = (what: string, attempt: (server: Guarded, state: string) => Promise<string>): Misuse => ({
  what,
  try: async () => {
    const server = guarded()
    return { server, answer: await attempt(server, await begin(server)) }
  },
})

const elsewhere = (what: string, make: () => Guarded, from?: () => Guarded): Misuse => ({
  what,
  try: async () => {
    const server = make()
    return { server, answer: bytesOf(await present(server, await begin((from ?? guarded)()))) }
  },
})

const withParams =
  (params: object) =>
  async (server: Guarded, state: string): Promise<string> =>
    bytesOf(await present(server, state, { params }))

const MISUSES: readonly Misuse[] = [
  misuse('by another user', async (server, state) =>
    bytesOf(await present(server, state, { more: { auth: { principal: 'bob' } } })),
  ),
  misuse('by an anonymous user', async (server, state) =>
    bytesOf(await present(server, state, { more: {} })),
  ),
  misuse('for another tool', withParams({ ...PAY.params, name: 'erase' })),
  misuse('for an unknown tool', withParams({ ...PAY.params, name: 'nope' })),
  misuse('for other arguments', withParams({ name: 'pay', arguments: { amount: 5000, to: ['x'] } })),
  misuse(
    'for reordered array arguments',
    withParams({ name: 'pay', arguments: { amount: 5, to: ['x', 'y'] } }),
  ),
  misuse('without arguments', withParams({ name: 'pay' })),
  misuse('for another method', async (server) => {
    const params = { name: 'pay' }
    const state = await begin(server, { ...PAY, params })
    return bytesOf(await present(server, state, { method: 'prompts/get', params }))
  }),
  elsewhere('on a server with another name and the same keys', () => guarded({ keys: [KEY] }, 'other')),
  elsewhere('on a server with other keys', () => guarded({ keys: [OTHER_KEY] })),
  elsewhere('on a server with other keys', () => guarded({})),
  elsewhere(
    'from a server with other keys',
    () => guarded({}),
    () => guarded({}),
  ),
  misuse('after it expires', async (server, state) => {
    await server.harness.clock.advance(TEN_MINUTES)
    return bytesOf(await present(server, state))
  }),
  misuse('if it is truncated', async (server, state) => bytesOf(await present(server, state.slice(0, -1)))),
  misuse('with something appended', async (server, state) =>
    bytesOf(await present(server, `${state}-TAMPERED`)),
  ),
  misuse('if it exceeds the maximum size', async (server) =>
    bytesOf(await present(server, 'A'.repeat(16_385))),
  ),
  misuse('if it is empty', async (server) => bytesOf(await present(server, ''))),
  misuse('if it is null', async (server) => bytesOf(await present(server, null))),
  misuse('if it is a number', async (server) => bytesOf(await present(server, 7))),
  misuse('if it is an array', async (server, state) => bytesOf(await present(server, [state]))),
  {
    what: 'twice with `singleUse`',
    try: async () => {
      const server = guarded({ keys: [KEY], singleUse: true })
      const state = await begin(server)
      await present(server, state)
      return {
        server: { ...server, done: () => server.done() - 1 },
        answer: bytesOf(await present(server, state)),
      }
    },
  },
]

describe('a requestState (https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr)', () => {
  it('is accepted for the same call until it expires', async () => {
    const server = guarded()
    const state = await begin(server)
    await server.harness.clock.advance(TEN_MINUTES - 1)
    expect(textOf(await present(server, state))).toBe('done 1')
  })

  it('is accepted even if the members of the arguments arrive in a different order', async () => {
    const server = guarded()
    const state = await begin(server)
    const params = { arguments: { to: ['x'], amount: 5 }, name: 'pay' }
    expect(textOf(await present(server, state, { params }))).toBe('done 1')
  })

  it('cannot be read by the client', async () => {
    const state = await begin(guarded())
    for (const encoding of ['base64url', 'latin1'] as const)
      expect(Buffer.from(state, encoding).toString('latin1')).not.toMatch(/confirm|alice|pay|Sure/)
  })

  it.each(MISUSES)('cannot be used $what', async (attempt) => {
    const { server, answer } = await attempt.try()
    expect(server.done()).toBe(0)
    expect(answer).toBe(await refusal(guarded()))
    expect(JSON.parse(JSON.parse(answer)[2] as string)).toMatchObject({ id: 7, error: { code: -32602 } })
  })

  it('can be omitted', async () => {
    const server = guarded()
    expect(textOf(await sendRound(server.harness, { ...PAY, responses: CONFIRMED }))).toBe('done 1')
  })

  it('is rejected after any modification, and the reply is always the same', async () => {
    const { tried, through, seen } = await tryMutations(300, seeded(20_260_728))
    expect(tried).toBe(300)
    expect(through).toBe(0)
    expect([...seen]).toEqual([await refusal(guarded())])
  })
})

describe('requestState.keys', () => {
  it('can be shared by processes, so that a call can continue in another process', async () => {
    const state = await begin(guarded())
    expect(textOf(await present(guarded(), state))).toBe('done 1')
  })

  it('can be rotated while the previous key is still accepted', async () => {
    const state = await begin(guarded())
    expect(textOf(await present(guarded({ keys: [OTHER_KEY, KEY] }), state))).toBe('done 1')
    const fresh = await begin(guarded({ keys: [OTHER_KEY, KEY] }))
    expect(textOf(await present(guarded({ keys: [OTHER_KEY] }), fresh))).toBe('done 1')
  })

  it('are generated only when the first state is sealed', async () => {
    let drawn = 0
    const random = (bytes: number): Uint8Array => {
      drawn += bytes
      return crypto.getRandomValues(new Uint8Array(bytes))
    }
    const server = new McpServer({ name: 'a', version: '1' }, { random })
    server.addTool({ name: 'a', handler: () => '' })
    expect(drawn).toBe(0)
    await server.close()
  })

  it.each<[string, NonNullable<ServerOptions['requestState']>, string]>([
    ['an empty list', { keys: [] }, 'requestState.keys'],
    ['a short key', { keys: [new Uint8Array(16)] }, 'requestState.keys'],
    ['a lifetime of 0', { ttlMs: 0 }, 'requestState.ttlMs'],
    ['a maxBytes of 10', { maxBytes: 10 }, 'requestState.maxBytes'],
    ['a maxUsed of 0', { maxUsed: 0 }, 'requestState.maxUsed'],
    ['an invalid singleUse', { singleUse: 1 as never }, 'requestState.singleUse'],
  ])(
    'are rejected if they are invalid, as are other options of `requestState`: %s',
    (_what, requestState, named) => {
      expect(() => new McpServer({ name: 'a', version: '1' }, { requestState })).toThrow(named)
    },
  )
})

describe('a single-use requestState', () => {
  const once = (): Guarded => guarded({ keys: [KEY], singleUse: true })

  it('is accepted for only one of two concurrent calls', async () => {
    const server = once()
    const state = await begin(server)
    await Promise.all([present(server, state), present(server, state)])
    expect(server.done()).toBe(1)
  })

  it('is used up even by an incomplete round, after which the client receives a new one', async () => {
    const server = once()
    const state = await begin(server)
    const again = stateOf(await sendRound(server.harness, { ...PAY, state }))
    expect(bytesOf(await present(server, state))).toBe(await refusal(server))
    expect(textOf(await present(server, again))).toBe('done 1')
  })

  it('is never accepted twice, no matter how many other states have been used since', async () => {
    const server = guarded({ keys: [KEY], singleUse: true, maxUsed: 3 })
    const { clock } = server.harness
    const states = [await begin(server), await begin(server)] as const
    expect(textOf(await present(server, states[0]))).toBe('done 1')
    await clock.advance(1)
    for (let i = 0; i < 3; i++) await present(server, await begin(server))
    expect(server.done()).toBe(4)
    // The store has dropped the first state, so all states of the same age are refused.
    for (const state of states) expect(bytesOf(await present(server, state))).toBe(await refusal(server))
    expect(server.done()).toBe(4)
    await clock.advance(1)
    expect(textOf(await present(server, await begin(server)))).toBe('done 5')
  })
})
