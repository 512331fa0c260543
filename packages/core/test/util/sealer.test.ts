import { describe, expect, it } from 'vitest'
import { secureRandom } from '../../src/util/random.ts'
import { createSealer, type SealKey, sealedLength, type Sealer } from '../../src/util/sealer.ts'

const key = (fill: number): Uint8Array => new Uint8Array(32).fill(fill)
const sealer = (...keys: readonly SealKey[]): Sealer => createSealer({ keys, name: 'keys' })

describe('Sealer', () => {
  it('opens text sealed by any process with the same keys, and seals the same text differently each time', async () => {
    const text = JSON.stringify({ name: 'Grüße 😀', none: '' })
    const [one, two] = await Promise.all([
      sealer(key(1)).seal('a', text, 'x'),
      sealer(key(1)).seal('a', text, 'x'),
    ])
    expect(one).not.toBe(two)
    expect(one).toMatch(/^[A-Za-z0-9_-]+$/)
    for (const sealed of [one, two]) expect(await sealer(key(1)).open('a', sealed, 'x')).toBe(text)
  })

  it('reveals only the length of the text', async () => {
    for (const bytes of [0, 1, 2, 3, 100, 20_000]) {
      const sealed = await sealer(key(1)).seal('a', 's'.repeat(bytes), 'x')
      expect(sealed).toHaveLength(sealedLength(bytes))
      expect(sealed).not.toMatch(/s{8}|c3Nzc3Nz/)
    }
  })

  it('does not open text that was sealed with another purpose, context or key', async () => {
    const sealed = await sealer(key(1)).seal('a', 'text', 'x')
    expect(await sealer(key(1)).open('b', sealed, 'x')).toBeUndefined()
    expect(await sealer(key(1)).open('a', sealed, 'y')).toBeUndefined()
    expect(await sealer(key(2)).open('a', sealed, 'x')).toBeUndefined()
  })

  it('does not open text that was changed, truncated or encoded differently', async () => {
    const one = sealer(key(1))
    const sealed = await one.seal('a', 'text', 'x')
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const changed = Array.from(sealed, (character, at) =>
      [1, 2, 4, 8, 16, 32].map(
        (bit) => sealed.slice(0, at) + alphabet[alphabet.indexOf(character) ^ bit] + sealed.slice(at + 1),
      ),
    ).flat()
    const odd = ['', 'A', '!', `${sealed}=`, `${sealed}A`, ` ${sealed}`, sealed.replace(/.$/, '+'), '😀']
    const cut = Array.from({ length: sealed.length }, (_, length) => sealed.slice(0, length))
    for (const forged of [...changed, ...odd, ...cut])
      expect(await one.open('a', forged, 'x'), forged).toBeUndefined()
  })

  it('supports key rotation by sealing with the first key and opening with any key', async () => {
    const old = await sealer(key(1)).seal('a', 'old', 'x')
    const both = sealer(key(2), key(1))
    expect(await both.open('a', old, 'x')).toBe('old')
    const fresh = await both.seal('a', 'fresh', 'x')
    expect(await sealer(key(2)).open('a', fresh, 'x')).toBe('fresh')
    expect(await sealer(key(1)).open('a', fresh, 'x')).toBeUndefined()
  })
})

describe('keys passed to createSealer', () => {
  it('can be bytes, base64 or base64url, and are copied by createSealer', async () => {
    const bytes = secureRandom(32)
    bytes[0] = 0xfb
    bytes[1] = 0xff
    const base64 = Buffer.from(bytes).toString('base64')
    const text = await sealer(bytes).seal('a', 'text', 'x')
    for (const same of [base64, base64.replace('=', ''), Buffer.from(bytes).toString('base64url')])
      expect(await sealer(same).open('a', text, 'x')).toBe('text')
    const one = sealer(bytes)
    bytes.fill(0)
    expect(await one.open('a', text, 'x')).toBe('text')
  })

  it('are accepted up to a maximum of eight', async () => {
    const keys = Array.from({ length: 8 }, (_, at) => key(at))
    const sealed = await sealer(key(7)).seal('a', 'text', 'x')
    expect(await sealer(...keys).open('a', sealed, 'x')).toBe('text')
  })

  it.each([
    ['no key', []],
    ['a short key', [new Uint8Array(31)]],
    ['a short string', ['c2VjcmV0']],
    ['a passphrase', ['correct horse battery staple correct horse!']],
    ['nine keys', Array.from({ length: 9 }, (_, at) => key(at))],
    ['one invalid key', [key(1), 7]],
    ['a value that is not an array', 'A'.repeat(43)],
    ['nothing', undefined],
  ])('are rejected with an error that names the option but not the keys: %s', (_what, keys) => {
    const make = (): Sealer => createSealer({ keys: keys as SealKey[], name: 'sessions.seal.keys' })
    expect(make).toThrow(/^sessions\.seal\.keys must be 1 to 8 keys of 32 bytes each .*ERR_MCP_OPTION/)
    expect(make).not.toThrow(/horse|c2Vj/)
  })

  it('are derived at their first use, before which no random bytes are generated', async () => {
    let draws = 0
    const made = createSealer({
      keys: [key(1)],
      name: 'keys',
      random: (bytes) => {
        draws++
        return new Uint8Array(bytes)
      },
    })
    expect(draws).toBe(0)
    await made.seal('a', 'text', 'x')
    expect(draws).toBe(1)
  })
})
