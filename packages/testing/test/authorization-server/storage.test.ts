import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { MemoryStorage } from '../../src/authorization-server/storage.ts'

describe("an authorization server's storage", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: 1_000_500 }))
  afterEach(() => void vi.useRealTimers())

  it('drops an entry when it expires', async () => {
    const codes = new MemoryStorage().of('AuthorizationCode')
    await codes.upsert('a', { uid: 'u' }, 60)
    await codes.upsert('b', {}, undefined)
    vi.setSystemTime(1_060_499)
    expect(await codes.find('a')).toEqual({ uid: 'u' })
    expect(await codes.findByUid('u')).toEqual({ uid: 'u' })
    vi.setSystemTime(1_060_500)
    expect([await codes.find('a'), await codes.findByUid('u')]).toEqual([undefined, undefined])
    expect(await codes.find('b')).toEqual({})
  })

  it('keeps entries of different kinds separate', async () => {
    const storage = new MemoryStorage()
    const [sessions, grants] = [storage.of('Session'), storage.of('Grant')]
    await sessions.upsert('a', { uid: 'u', grantId: 'g' }, 60)
    expect(await grants.find('a')).toBeUndefined()
    await grants.upsert('a', { uid: 'v', grantId: 'g' }, 60)
    expect([await grants.findByUid('u'), await sessions.findByUid('u')]).toEqual([
      undefined,
      { uid: 'u', grantId: 'g' },
    ])
    expect(await grants.findByUserCode()).toBeUndefined()
    await grants.revokeByGrantId('other')
    expect(await grants.find('a')).toBeDefined()
    await grants.revokeByGrantId('g')
    expect([await grants.find('a'), await sessions.find('a')]).toEqual([
      undefined,
      { uid: 'u', grantId: 'g' },
    ])
    await sessions.destroy('a')
    expect(await sessions.find('a')).toBeUndefined()
  })

  it('stores in seconds when an entry was used', async () => {
    const codes = new MemoryStorage().of('AuthorizationCode')
    await codes.upsert('a', {}, 60)
    await codes.consume('a')
    await codes.consume('none')
    expect(await codes.find('a')).toEqual({ consumed: 1_000 })
  })

  it.each([
    ['bob', ['ann']],
    [undefined, []],
  ])(
    'revokes the grants and tokens of the user %s, or of all users if no user is given',
    async (user, left) => {
      const storage = new MemoryStorage()
      const kinds = ['Grant', 'AuthorizationCode', 'AccessToken', 'RefreshToken']
      for (const kind of [...kinds, 'Session'])
        for (const accountId of ['ann', 'bob']) await storage.of(kind).upsert(accountId, { accountId }, 60)
      storage.revoke(user)
      for (const kind of kinds) {
        const found = await Promise.all(['ann', 'bob'].map((id) => storage.of(kind).find(id)))
        expect(found.flatMap((one) => (one === undefined ? [] : [one.accountId]))).toEqual(left)
      }
      expect(await storage.of('Session').find('bob')).toBeDefined()
    },
  )

  it('keeps the newest 10,000 entries', async () => {
    const tokens = new MemoryStorage().of('AccessToken')
    for (let i = 0; i < 10_000; i++) await tokens.upsert(`${i}`, {}, 60)
    await tokens.upsert('0', { again: true }, 60)
    expect(await tokens.find('1')).toBeDefined()
    await tokens.upsert('new', {}, 60)
    expect(await tokens.find('1')).toBeUndefined()
    expect([await tokens.find('0'), await tokens.find('2')]).toEqual([{ again: true }, {}])
  })
})
