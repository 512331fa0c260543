import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'

const ISSUER = 'http://localhost:9'

export interface IssuerKeys {
  readonly privateKey: CryptoKey
  /** The public key, with the members `kid` and `alg`. */
  readonly publicJwk: JWK
}

async function createKeys(alg: string, kid: string = alg): Promise<IssuerKeys> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  return { privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg } }
}

/** All tests in a process share the key pairs, because creating a pair takes longer than a test. */
const shared = new Map<string, Promise<IssuerKeys>>()

export function keysOf(alg: string, kid: string = alg): Promise<IssuerKeys> {
  const key = `${alg} ${kid}`
  const known = shared.get(key) ?? createKeys(alg, kid)
  shared.set(key, known)
  return known
}

/** An authorization server without a socket: its `fetch` returns the documents. */
export interface TestIssuer {
  readonly issuer: string
  /** The published keys. */
  keys: JWK[]
  /** The documents, keyed by URL. Fetching any other URL returns 404. */
  readonly documents: Map<string, (init: RequestInit) => Response | Promise<Response>>
  /** The URLs that have been fetched. */
  readonly fetched: string[]
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  /** Signs a token that is valid for 5 min. */
  readonly sign: (
    claims?: Readonly<Record<string, unknown>>,
    header?: object,
    key?: CryptoKey,
  ) => Promise<string>
}

export async function createIssuer(
  issuer: string = ISSUER,
  now: () => number = Date.now,
): Promise<TestIssuer> {
  const { privateKey, publicJwk } = await keysOf('ES256')
  const fetched: string[] = []
  const documents: TestIssuer['documents'] = new Map()
  const created: TestIssuer = {
    issuer,
    keys: [publicJwk],
    documents,
    fetched,
    fetch: async (url, init) => {
      fetched.push(url)
      return (await documents.get(url)?.(init)) ?? new Response(null, { status: 404 })
    },
    sign: (claims = {}, header = {}, key = privateKey) => {
      const seconds = Math.floor(now() / 1000)
      const standard = { iss: issuer, sub: 'user', client_id: 'client', iat: seconds, exp: seconds + 300 }
      return new SignJWT({ ...standard, ...claims })
        .setProtectedHeader({ alg: 'ES256', kid: 'ES256', typ: 'at+jwt', ...header })
        .sign(key)
    },
  }
  const base = issuer.replace(/\/$/, '')
  const { origin, pathname } = new URL(base)
  const path = pathname === '/' ? '' : pathname
  documents.set(`${origin}/.well-known/oauth-authorization-server${path}`, () =>
    Response.json({ issuer, jwks_uri: `${base}/jwks` }),
  )
  documents.set(`${base}/jwks`, () => Response.json({ keys: created.keys }))
  return created
}
