import { FakeClock, silent } from '@jetway-apps/test-support'
import { Rejection } from '@jetway/core/http'
import { expect, it } from 'vitest'
import { introspection, oauth } from '../../src/index.ts'

/** Figures 2, 10, 12 and 13 of https://www.rfc-editor.org/rfc/rfc9449. */
const RESOURCE = 'https://resource.example.org/protectedresource'
const TOKEN = 'Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU'
const INTROSPECTED = {
  active: true,
  sub: 'someone@example.com',
  iss: 'https://server.example.com',
  nbf: 1562262611,
  exp: 1562266216,
  cnf: { jkt: '0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I' },
}
const JWK =
  'eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0' +
  'RscEJoRjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAt' +
  'MjU2In19'
const TOKEN_PROOF =
  `${JWK}.eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjoiUE9TVCIsImh0dSI6Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUuY29tL3Rv` +
  'a2VuIiwiaWF0IjoxNTYyMjYyNjE2fQ.2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwnQg4PtFLbdLXiOSsX0x7NVY-FNyJK70nfb' +
  'V37xRZT3Lg'
const RESOURCE_PROOF =
  `${JWK}.eyJqdGkiOiJlMWozVl9iS2ljOC1MQUVCIiwiaHRtIjoiR0VUIiwiaHR1IjoiaHR0cHM6Ly9yZXNvdXJjZS5leGFtcGxlLm9yZy9w` +
  'cm90ZWN0ZWRyZXNvdXJjZSIsImlhdCI6MTU2MjI2MjYxOCwiYXRoIjoiZlVIeU8ycjJaM0RaNTNFc05yV0JiMHhXWG9hTnk1OUlpS0NBcWtz' +
  'bVFFbyJ9.2oW9RP35yRqzhrtNP86L-Ey71EOptxRimPPToA1plemAgR6pxHF8y6-yqyVnmcw6Fy1dqd-jfxSYoMxhAJpLjA'
/** `iat` of figure 13. */
const AT = 1562262618

interface Sent {
  readonly at?: number
  readonly method?: string
  readonly token?: string
  readonly proof?: string
  readonly resource?: string
}

/** Returns the principal, or the status of the refusal. */
async function send({
  at = AT,
  method = 'GET',
  token = TOKEN,
  proof = RESOURCE_PROOF,
  resource = RESOURCE,
}: Sent): Promise<string | number | undefined> {
  const clock = new FakeClock()
  await clock.advance(at * 1000 - clock.now())
  const protection = oauth({
    issuer: INTROSPECTED.iss,
    token: introspection({
      clientId: 'rs',
      clientSecret: 's',
      endpoint: `${INTROSPECTED.iss}/introspect`,
      audience: 'issuer',
    }),
    dpop: 'require',
    fetch: async () => Response.json(INTROSPECTED),
  })
  const mount = {
    publicUrl: resource,
    path: '/protectedresource',
    legacySse: undefined,
    clock,
    logger: silent,
  }
  const headers: Readonly<Record<string, string>> = { authorization: `DPoP ${token}`, dpop: proof }
  const found = await protection.mount?.(mount)({
    method,
    route: 'mcp',
    path: '/protectedresource',
    query: () => undefined,
    header: (name) => headers[name],
    signal: new AbortController().signal,
  })
  return found instanceof Rejection ? found.status : found?.principal
}

const PRINCIPAL = JSON.stringify([INTROSPECTED.iss, '', INTROSPECTED.sub])

it.each<[string, Sent, string | number]>([
  ['the protected resource request', {}, PRINCIPAL],
  ['the same 300 s later', { at: AT + 300 }, PRINCIPAL],
  ['the same 301 s later', { at: AT + 301 }, 401],
  ['the same 300 s before', { at: AT - 300 }, PRINCIPAL],
  ['the same 301 s before', { at: AT - 301 }, 401],
  ['the same with another method', { method: 'POST' }, 401],
  ['the same with another token', { token: `${TOKEN}x` }, 401],
  ['the same at another resource', { resource: 'https://resource.example.org/other' }, 401],
  [
    'the proof for the token endpoint',
    { method: 'POST', proof: TOKEN_PROOF, resource: 'https://server.example.com/token' },
    401,
  ],
])('oauth() accepts or refuses the example proofs from RFC 9449: %s', async (_name, sent, expected) => {
  expect(await send(sent)).toBe(expected)
})
