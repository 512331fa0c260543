import * as oauth from 'oauth4webapi'

/** The parts of a `WWW-Authenticate` header that the client uses. */
export interface Challenge {
  readonly error: string | undefined
  readonly scopes: readonly string[]
  readonly resourceMetadata: string | undefined
}

const SCHEMES: ReadonlySet<string> = new Set(['bearer', 'dpop'])
/** The maximum length of a header. Longer headers are ignored, because parsing takes quadratic time. */
const MAX_HEADER = 8_192

/**
 * Reads the challenge in a response. An invalid header is ignored. See
 * https://www.rfc-editor.org/rfc/rfc9728#section-5.1.
 */
export async function readChallenge(headers: Headers): Promise<Challenge> {
  const all = await challengesOf(headers.get('www-authenticate') ?? '')
  const found = all.filter(({ scheme }) => SCHEMES.has(scheme))
  const first = (name: 'error' | 'scope' | 'resource_metadata'): string | undefined =>
    found.map(({ parameters }) => parameters[name]).find((value) => value !== undefined)
  return {
    error: first('error'),
    scopes: scopesOf(first('scope')),
    resourceMetadata: first('resource_metadata'),
  }
}

/** Parses the header with the library, which throws the challenges that it finds. */
async function challengesOf(header: string): Promise<readonly oauth.WWWAuthenticateChallenge[]> {
  if (header === '' || header.length > MAX_HEADER) return []
  const answer = new Response(null, { status: 401, headers: { 'www-authenticate': header } })
  try {
    await oauth.processRevocationResponse(answer)
  } catch (error) {
    if (error instanceof oauth.WWWAuthenticateChallengeError) return error.cause
  }
  return []
}

export function scopesOf(list: string | undefined): readonly string[] {
  return [...new Set((list ?? '').split(' ').filter((scope) => SCOPE.test(scope)))]
}

/** https://www.rfc-editor.org/rfc/rfc6749#section-3.3 */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/
