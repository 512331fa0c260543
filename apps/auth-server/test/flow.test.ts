import { MOUNTS } from '@jetway-apps/test-support/mounts'
import { expect, it } from 'vitest'
import { ERAS, fakeDate, REGISTRATIONS, runFlow, TOLERANCE_S } from './support/flow.ts'
import { call, connect, protect, startIssuer, userAgent } from './support/protected.ts'

const [registration] = Object.values(REGISTRATIONS)

// flow.system.test.ts tests every mount and every kind of registration.
it.each(ERAS)(
  'a client that uses %s signs in after a 401, obtains more scopes, and renews its token',
  async (revision) => {
    if (registration !== undefined) await runFlow(MOUNTS.toFetch, revision, registration)
  },
)

it('a client renews its token before the token expires, so that no request is refused', async () => {
  const time = fakeDate()
  const issuer = await startIssuer()
  const url = await protect(issuer, MOUNTS.toFetch)
  const { auth, asked } = userAgent(issuer, { clientMetadataUrl: issuer.clientMetadataUrl })
  const { client, sent } = await connect(url, auth)
  const answer = await call(client, 'whoami')
  const before = sent.length
  time.pass(issuer.lifetime - 20)
  expect(await call(client, 'whoami')).toBe(answer)
  expect(sent.slice(before).map(({ status }) => status)).toEqual([200])
  expect(new Set(sent.map(({ token }) => token)).size).toBe(3)
  expect(asked).toHaveLength(1)
})

it('a client prompts the user again after the authorization is revoked', async () => {
  const time = fakeDate()
  const issuer = await startIssuer()
  const url = await protect(issuer, MOUNTS.toFetch)
  const { auth, asked } = userAgent(issuer, { clientMetadataUrl: issuer.clientMetadataUrl })
  const { client } = await connect(url, auth)
  await call(client, 'whoami')
  issuer.revoke('alice')
  time.pass(issuer.lifetime + TOLERANCE_S + 1)
  expect(await call(client, 'whoami')).toContain('alice')
  expect(asked).toHaveLength(2)
})
