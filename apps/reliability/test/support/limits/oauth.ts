import { clientCredentials, type CredentialStore, oauth } from '@jetway/client/oauth'
import { type Limit, list } from './row.ts'

const RESOURCE = 'https://a.example/mcp'
const METADATA = 'https://a.example/elsewhere.json'
const REQUEST = { resource: RESOURCE, url: RESOURCE, method: 'POST' }
const TOKENS = {
  issuer: 'https://b.example',
  clientId: 'c',
  accessToken: 'token',
  tokenType: 'bearer',
  scopes: [],
}

/** Returns the addresses that a provider with a token fetches after a challenge. Every fetch returns 404. */
async function fetched(status: number, challenge: string): Promise<readonly string[]> {
  const urls: string[] = []
  const provider = oauth({
    grant: clientCredentials(),
    store: storeOf(() => TOKENS),
    fetch: (url) => {
      urls.push(url.href)
      return Promise.resolve(new Response(null, { status: 404 }))
    },
  })
  const sent = (await provider.headers(REQUEST)) ?? {}
  const headers = new Headers({ 'www-authenticate': challenge })
  await provider.onChallenge?.({ ...REQUEST, sent, status, headers }).catch(() => {})
  return urls
}

const storeOf = (read: (name: string) => unknown): CredentialStore => ({
  read: async (kind, name) => (kind === 'tokens' ? (read(name) as never) : undefined),
  write: async () => {},
})

/** Returns whether a challenge of `length` characters is read. */
async function header(length: number): Promise<unknown> {
  const challenge = `Bearer resource_metadata="${METADATA}", x=`
  return (await fetched(401, challenge.padEnd(length, 'a')))[0] === METADATA
}

/** Returns whether a provider requests `count` scopes. */
async function scopes(count: number): Promise<unknown> {
  const names = list(count, (index) => `s${index}`).join(' ')
  const challenge = `Bearer error="insufficient_scope", resource_metadata="${METADATA}", scope="${names}"`
  return (await fetched(403, challenge)).length > 0
}

/** Returns whether the provider reads the tokens of the first of `count` servers only once. */
async function servers(count: number): Promise<unknown> {
  let reads = 0
  const store = storeOf((name) => void (name.includes('server-0.') && reads++))
  const provider = oauth({ grant: clientCredentials(), store })
  for (const index of [...list(count, (each) => each), 0]) {
    const resource = `https://server-${index}.example/mcp`
    await provider.headers({ resource, url: resource, method: 'POST' })
  }
  return reads === 1
}

const KEPT = { accepted: true, refused: false }

export const OAUTH: readonly Limit[] = [
  { limit: 'characters of a challenge', most: 8_192, use: header, ...KEPT },
  { limit: 'scopes that a provider asks for', most: 100, use: scopes, ...KEPT },
  { limit: 'servers whose tokens a provider remembers', most: 256, use: servers, ...KEPT },
]
