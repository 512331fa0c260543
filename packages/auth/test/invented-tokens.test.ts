import { settled } from '@jetway-apps/test-support'
import type { HttpRequest } from '@jetway/core/http'
import { describe, expect, it } from 'vitest'
import { TokenCache } from '../src/tokens/token-cache.ts'
import { INTROSPECT, type OpaqueMount, protectOpaque } from './support/opaque.ts'
import { RESOURCE } from './support/requests.ts'

const MAX_RUNNING = 64
/** The maximum number of concurrent introspection requests for tokens of one kind, known or never seen. */
const SHARE = 48
const MAX_WAITING = 1_000

interface SlowIssuer extends OpaqueMount {
  /** The tokens that the issuer was asked about, oldest first. */
  readonly tokens: () => readonly string[]
  /** Adds these members to later responses. */
  readonly say: (members: object) => void
  /**
   * Completes the pending introspection requests; invented tokens are inactive. Repeats this for requests
   * that follow.
   */
  readonly answer: (rounds?: number) => Promise<void>
}

/** Creates a mount whose issuer responds only when the test tells it to. */
async function withSlowIssuer(claims: object = {}): Promise<SlowIssuer> {
  const open: (() => void)[] = []
  let said = {}
  const tokenOf = ({ body }: RequestInit): string => new URLSearchParams(body as string).get('token') ?? ''
  const mount = await protectOpaque(
    (init) =>
      new Promise((resolve, reject) => {
        const sub = tokenOf(init)
        const found = (): object => ({
          active: !sub.startsWith('invented'),
          aud: RESOURCE,
          sub,
          ...claims,
          ...said,
        })
        open.push(() => resolve(Response.json(found())))
        init.signal?.addEventListener('abort', () => reject(init.signal?.reason as Error))
      }),
  )
  const answer = async (rounds = 1): Promise<void> => {
    for (let round = 0; round < rounds; round++) {
      await settled()
      for (const give of open.splice(0)) give()
    }
    await settled()
  }
  const say = (members: object): void => {
    said = members
  }
  return { ...mount, answer, say, tokens: () => mount.asked.map(tokenOf) }
}

async function accept({ send, answer }: SlowIssuer, tokens: readonly string[]): Promise<void> {
  const sent = tokens.map((token) => send(token))
  await answer(Math.ceil(tokens.length / SHARE))
  expect(new Set(await Promise.all(sent))).toEqual(new Set([200]))
}

const from = (remoteAddress: string): Partial<HttpRequest> => ({ peer: { remoteAddress } })
let invented = 0
const inventTokens = (count: number): readonly string[] =>
  Array.from({ length: count }, () => `invented-${invented++}`)

describe('a previously accepted token', () => {
  it('takes precedence over a queue full of invented tokens', async () => {
    const mount = await withSlowIssuer()
    await accept(mount, ['mine'])
    await mount.clock.advance(30_000)
    const sent = inventTokens(2 * MAX_WAITING).map((token) => mount.send(token))
    await settled()
    const mine = mount.send('mine')
    await settled()
    expect(mount.tokens().slice(1 + SHARE)).toEqual(['mine'])
    await mount.answer()
    expect(await mine).toBe(200)
    await mount.answer(MAX_WAITING / SHARE + 1)
    expect((await Promise.all(sent)).filter((status) => status === 401)).toHaveLength(SHARE + MAX_WAITING)
  })

  it('does not take the place of a token that has never been seen', async () => {
    const mount = await withSlowIssuer()
    const tokens = Array.from({ length: 2 * MAX_RUNNING }, (_, i) => `mine-${i}`)
    await accept(mount, tokens)
    await mount.clock.advance(30_000)
    const sent = [...tokens, 'new'].map((token) => mount.send(token))
    await settled()
    expect(mount.tokens().slice(tokens.length)).toEqual([...tokens.slice(0, SHARE), 'new'])
    await mount.answer(3)
    expect(new Set(await Promise.all(sent))).toEqual(new Set([200]))
  })

  it.each([
    ['does not answer within 2 s', undefined],
    ['replies with status 429', () => new Response(null, { status: 429 })],
    ['cannot be reached', () => Promise.reject(new TypeError('fetch failed'))],
  ])('keeps its cached result if the issuer %s, and is checked again after 5 s', async (_how, reply) => {
    const mount = await withSlowIssuer()
    await accept(mount, ['mine'])
    await mount.clock.advance(30_000)
    const working = mount.issuer.documents.get(INTROSPECT)!
    if (reply !== undefined) mount.issuer.documents.set(INTROSPECT, reply)
    const again = mount.send('mine')
    await settled()
    await mount.clock.advance(2_000)
    expect(await again).toBe(200)
    mount.issuer.documents.set(INTROSPECT, () => Response.json({ active: false }))
    await mount.clock.advance(2_999)
    expect(await mount.send('mine')).toBe(200)
    await mount.clock.advance(2_001)
    expect(await mount.send('mine')).toBe(401)
    mount.issuer.documents.set(INTROSPECT, working)
  })

  it.each([
    ['its expiry', { exp: 1_600 }, 600_000, 401],
    ['an hour', {}, 3_600_000, 503],
  ])('keeps its cached result until %s at the latest', async (_when, claims, ms, status) => {
    const mount = await withSlowIssuer(claims)
    await accept(mount, ['mine'])
    mount.issuer.documents.delete(INTROSPECT)
    await mount.clock.advance(ms - 1)
    expect(await mount.send('mine')).toBe(200)
    await mount.clock.advance(5_000)
    expect(await mount.send('mine')).toBe(status)
  })

  it('is evicted if the issuer reports it as inactive, even after the request with the token has timed out', async () => {
    const mount = await withSlowIssuer()
    const tokens = Array.from({ length: SHARE + 1 }, (_, i) => `mine-${i}`)
    await accept(mount, tokens)
    await mount.clock.advance(30_000)
    const sent = tokens.map((token) => mount.send(token))
    await settled()
    await mount.clock.advance(1_500)
    await mount.answer()
    await mount.clock.advance(500)
    // The last token had to wait for its turn, so its request ends before the issuer responds.
    expect(new Set(await Promise.all(sent))).toEqual(new Set([200]))
    mount.say({ active: false })
    await mount.answer()
    mount.issuer.documents.delete(INTROSPECT)
    await mount.clock.advance(5_000)
    expect(await mount.send(`mine-${SHARE}`)).toBe(503)
  })

  it('is evicted when the issuer reports it as inactive', async () => {
    const mount = await withSlowIssuer()
    await accept(mount, ['mine'])
    await mount.clock.advance(30_000)
    mount.issuer.documents.set(INTROSPECT, () => Response.json({ active: false }))
    expect(await mount.send('mine')).toBe(401)
    await mount.clock.advance(5_000)
    mount.issuer.documents.delete(INTROSPECT)
    expect(await mount.send('mine')).toBe(503)
  })
})

describe('tokens that have never been seen', () => {
  it('wait at most 2 s for a turn', async () => {
    const mount = await withSlowIssuer()
    const sent = inventTokens(SHARE).map((token) => mount.send(token))
    const second = mount.send('second')
    await mount.answer(2)
    expect(await second).toBe(200)
    expect(new Set(await Promise.all(sent))).toEqual(new Set([401]))
    mount.issuer.documents.set(INTROSPECT, () => new Promise(() => {}))
    for (const token of inventTokens(SHARE)) void mount.send(token)
    await settled()
    const late = mount.send('late')
    await settled()
    let status: number | undefined
    void late.then((found) => (status = found))
    await mount.clock.advance(1_999)
    expect(status).toBeUndefined()
    await mount.clock.advance(1)
    expect(await late).toBe(503)
  })

  it.each([
    ['192.0.2.1', '192.0.2.2'],
    ['2001:db8::1', '2001:db8:0:1::1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:3::'],
    ['::ffff:192.0.2.1', '::ffff:192.0.2.2'],
  ])('take turns with those from another network: %s and %s', async (first, second) => {
    const mount = await withSlowIssuer()
    const flood = inventTokens(SHARE + 100).map((token) => mount.send(token, from(first)))
    const own = inventTokens(3).map((token) => mount.send(token, from(second)))
    await settled()
    await mount.answer()
    const next = mount.tokens().slice(SHARE, SHARE + 6)
    expect(next.map((token) => Number(token.split('-')[1]) >= invented - 3)).toEqual([
      false,
      true,
      false,
      true,
      false,
      true,
    ])
    await mount.answer(4)
    expect(new Set(await Promise.all([...flood, ...own]))).toEqual(new Set([401]))
  })

  it.each([
    ['2001:db8::1', '2001:db8::1:2:3:4'],
    ['2001:db8:0:1::', '2001:db8:0:1:2:3:4:5'],
    ['2001:db8:1::', '2001:db8:1:0:2::3'],
  ])('share turns within their 64-bit network: %s and %s', async (first, second) => {
    const mount = await withSlowIssuer()
    const flood = inventTokens(SHARE + 100).map((token) => mount.send(token, from(first)))
    const own = mount.send('mine', from(second))
    await mount.answer()
    expect(mount.tokens()).not.toContain('mine')
    await mount.answer(4)
    expect(await own).toBe(200)
    await Promise.all(flood)
  })

  it('are refused with 503 if the queue is full, starting with the network that has sent the most tokens', async () => {
    const mount = await withSlowIssuer()
    const running = inventTokens(SHARE).map((token) => mount.send(token, from('192.0.2.1')))
    const statuses: number[] = []
    const flood = inventTokens(MAX_WAITING).map((token, at) =>
      mount.send(token, from('192.0.2.1')).then((status) => (statuses[at] = status)),
    )
    await settled()
    expect(await mount.send('one too many', from('192.0.2.1'))).toBe(401)
    expect(await mount.send('one-too-many', from('192.0.2.1'))).toBe(503)
    const own = mount.send('mine', from('192.0.2.2'))
    await settled()
    expect(Object.entries(statuses)).toEqual([[String(MAX_WAITING - 1), 503]])
    await mount.answer(MAX_WAITING / SHARE + 2)
    expect(await own).toBe(200)
    await Promise.all([...running, ...flood])
  })
})

describe('TokenCache', () => {
  it('evicts the oldest token of an owner that holds a tenth of a full cache', async () => {
    let now = 0
    const clock = { now: () => now++, setTimeout: () => {}, clearTimeout: () => {} }
    const cache = new TokenCache<number>(20, clock)
    const add = (holder: string, count: number): void => {
      for (let i = 0; i < count; i++) cache.set(`${holder}-${i}`, i, 1_000_000, holder)
    }
    const kept = (holder: string): readonly number[] =>
      Array.from({ length: 50 }, (_, i) => i).filter((i) => cache.get(`${holder}-${i}`) === i)
    for (let i = 0; i < 18; i++) add(`user${i}`, 1)
    add('many', 40)
    expect(kept('many')).toEqual([38, 39])
    expect(kept('user0')).toEqual([0])
    add('new', 1)
    expect(kept('user0')).toEqual([])
    expect(kept('many')).toEqual([38, 39])
  })
})
