import { createHash } from 'node:crypto'
import { type AuthFetch, withAuth } from '@jetway/client'
import {
  AuthorizationError,
  authorizationCode,
  memoryCredentials,
  oauth,
  type OAuthOptions,
} from '@jetway/client/oauth'
import { expect, it as base } from 'vitest'
import { scripted, type Answer, type Scripted, type Seen } from './scripted.ts'

export const REDIRECT = 'http://127.0.0.1:3999/callback'

/** A server that requires tokens, with its authorization server. Tests set the responses of both. */
export interface World {
  readonly server: Scripted
  readonly issuer: Scripted
  readonly url: string
  readonly metadata: Record<string, unknown>
  readonly resourceMetadata: Record<string, unknown>
  /** The tokens that the server accepts, with their scopes. */
  readonly valid: Map<string, readonly string[]>
  /** The scopes that the server requires for the next request. */
  wanted: readonly string[]
  /** Changes the token endpoint's response. */
  token: (seen: Seen, answer: Record<string, unknown>) => Answer | Promise<Answer>
  /** Returns the URL to which the browser returns. */
  browse: (url: URL) => Promise<string>
  readonly visits: URL[]
  connect(options?: Partial<OAuthOptions>): AuthFetch
  /** Returns a function that sends one message each time it is called, always with the same provider. */
  sender(options?: Partial<OAuthOptions>): (signal?: AbortSignal) => Promise<Response>
  /** Sends one message with a new provider. */
  post(options?: Partial<OAuthOptions>): Promise<Response>
}

/** Provides tests with a {@link World}, a second one, and a function that sends messages to the first. */
export const it = base
  .extend('made', () => fresh())
  .extend('other', () => fresh())
  .extend('send', ({ made }) => made.sender())

/** Creates a world that is closed at the end of its test. */
export async function fresh(): Promise<World> {
  const server = await scripted()
  const issuer = await scripted()
  const url = `${server.origin}/mcp`
  const made: World = {
    server,
    issuer,
    url,
    metadata: metadataOf(issuer.origin),
    resourceMetadata: { resource: url, authorization_servers: [issuer.origin] },
    valid: new Map(),
    wanted: [],
    token: (_seen, answer) => ({ json: answer }),
    visits: [],
    browse: async (address) => {
      made.visits.push(address)
      const answer = await fetch(address, { redirect: 'manual' })
      await answer.body?.cancel()
      return answer.headers.get('location') ?? ''
    },
    connect: (options) => withAuth(fetch, oauth({ ...interactive(made), ...options }), url),
    sender: (options) => {
      const send = made.connect(options)
      return (signal) => post(send, made, signal)
    },
    post: (options) => made.sender(options)(),
  }
  serve(made)
  authorize(made)
  return made
}

export const interactive = (made: World): OAuthOptions => ({
  grant: authorizationCode({ redirectUri: REDIRECT, authorize: (url) => made.browse(url) }),
  registration: { clientName: 'Test client' },
  store: memoryCredentials(),
})

const metadataOf = (origin: string): Record<string, unknown> => ({
  issuer: origin,
  authorization_endpoint: `${origin}/authorize`,
  token_endpoint: `${origin}/token`,
  registration_endpoint: `${origin}/register`,
  response_types_supported: ['code'],
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: ['none'],
})

function serve(made: World): void {
  const { server } = made
  const address = `${server.origin}/.well-known/oauth-protected-resource/mcp`
  server.routes.set('GET /.well-known/oauth-protected-resource/mcp', () => ({ json: made.resourceMetadata }))
  server.routes.set('POST /mcp', ({ headers }) => {
    const scopes = made.valid.get(headers['authorization']?.replace(/^\S+ /, '') ?? '')
    const scope = made.wanted.length > 0 ? `, scope="${made.wanted.join(' ')}"` : ''
    const says = (error: string): Answer => ({
      status: error === '' ? 401 : 403,
      headers: { 'www-authenticate': `Bearer resource_metadata="${address}"${scope}${error}` },
    })
    if (scopes === undefined) return says('')
    if (!made.wanted.every((each) => scopes.includes(each))) return says(', error="insufficient_scope"')
    return { json: { ok: true } }
  })
}

function authorize(made: World): void {
  const { issuer, valid } = made
  const codes = new Map<string, URLSearchParams>()
  let count = 0
  issuer.routes.set('GET /.well-known/oauth-authorization-server', () => ({ json: made.metadata }))
  issuer.routes.set('POST /register', () => ({
    status: 201,
    json: {
      client_id: `registered-${issuer.to('POST /register').length}`,
      token_endpoint_auth_method: 'none',
    },
  }))
  issuer.routes.set('GET /authorize', ({ query }) => {
    const code = `code-${codes.size + 1}`
    codes.set(code, query)
    const back = new URL(query.get('redirect_uri') ?? '')
    back.searchParams.set('code', code)
    back.searchParams.set('state', query.get('state') ?? '')
    return { status: 302, headers: { location: back.href } }
  })
  issuer.routes.set('POST /token', (seen) => {
    const asked = codes.get(seen.form.get('code') ?? '')
    const proves = createHash('sha256')
      .update(seen.form.get('code_verifier') ?? '')
      .digest('base64url')
    if (seen.form.get('grant_type') === 'authorization_code' && proves !== asked?.get('code_challenge'))
      return { status: 400, json: { error: 'invalid_grant' } }
    count += 1
    const scope = asked?.get('scope') ?? seen.form.get('scope') ?? ''
    valid.set(`access-token-${count}`, scope.split(' '))
    return made.token(seen, {
      access_token: `access-token-${count}`,
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: `refresh-token-${count}`,
      ...(scope === '' ? {} : { scope }),
    })
  })
}

/** Returns the error with which a promise rejects. */
export const failure = (of: Promise<unknown>): Promise<AuthorizationError> =>
  of.then(
    () => expect.fail('nothing failed'),
    (error: unknown) => {
      expect(error).toBeInstanceOf(AuthorizationError)
      return error as AuthorizationError
    },
  )

/** Returns the reason of the error with which a promise rejects, or `none`. */
export const reasonOf = (of: Promise<unknown>): Promise<string> =>
  of.then(
    () => 'none',
    async () => (await failure(of)).reason,
  )

/** Replaces the header in the server's 401 reply. Without a header, the reply has no challenge. */
export function challengeWith({ server }: World, header?: string): void {
  const answer = server.routes.get('POST /mcp')
  server.routes.set('POST /mcp', async (seen) => {
    const said = (await answer?.(seen)) ?? {}
    if (said.status !== 401) return said
    return { status: 401, ...(header !== undefined && { headers: { 'www-authenticate': header } }) }
  })
}

/** Sends one message to the server. */
export const post = (send: AuthFetch, made: World, signal?: AbortSignal): Promise<Response> =>
  send(made.url, { method: 'POST', body: '{"jsonrpc":"2.0"}', ...(signal === undefined ? {} : { signal }) })

/** A value for {@link World.token} that returns a response without a refresh token. */
export const withoutRefreshToken: World['token'] = (_seen, answer) => {
  const json = { ...answer }
  delete json['refresh_token']
  return { json }
}
