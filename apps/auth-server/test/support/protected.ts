import { oauth, type OAuthOptions } from '@jetway/auth'
import { type AuthProvider, Client } from '@jetway/client'
import { http } from '@jetway/client/http'
import {
  authorizationCode,
  oauth as clientOAuth,
  type OAuthOptions as ClientOAuthOptions,
} from '@jetway/client/oauth'
import { McpServer, type ServerOptions } from '@jetway/core'
import type { EndpointOptions } from '@jetway/core/http'
import { initialize, INITIALIZED } from '@jetway-apps/test-support'
import { post } from '@jetway-apps/test-support/http'
import type { Mount } from '@jetway-apps/test-support/mounts'
import {
  type AuthorizationServer,
  type AuthorizationServerOptions,
  startAuthorizationServer,
} from '@jetway/testing/authorization-server'
import { expect, onTestFinished } from 'vitest'

export const REDIRECT = 'http://127.0.0.1:33418/callback'

/** Starts an authorization server that runs until the end of the test. */
export async function startIssuer(
  options: Partial<AuthorizationServerOptions> = {},
): Promise<AuthorizationServer> {
  const issuer = await startAuthorizationServer({ scopes: ['mcp', 'files:write'], ...options })
  onTestFinished(() => issuer.close())
  return issuer
}

/** Creates a server with the tools `whoami` and `write`. `write` needs an additional scope. */
export function createServer(options: ServerOptions = {}): McpServer {
  const server = new McpServer({ name: 'protected', version: '1.0.0' }, options)
  server.addTool({
    name: 'whoami',
    handler: (_args, { auth }) => `${String(auth?.extra?.['subject'])} by ${auth?.clientId}`,
  })
  server.addTool({ name: 'write', scopes: ['files:write'], handler: () => 'written' })
  return server
}

/**
 * Mounts the server until the end of the test. It requires tokens from `issuer` with the scope `mcp`. Resolves
 * to the address.
 */
export async function protect(
  issuer: AuthorizationServer,
  mount: Mount,
  {
    server = createServer(),
    protection = {},
    ...options
  }: EndpointOptions & { server?: McpServer; protection?: Partial<OAuthOptions> } = {},
): Promise<string> {
  const authenticate = oauth({ issuer: issuer.issuer, scopes: ['mcp'], ...protection })
  const mounted = await mount(server, { ...options, authenticate })
  onTestFinished(mounted.stop)
  return `${mounted.origin}/mcp`
}

/** A client's user, with the scopes of each consent and the client's provider. */
export interface UserAgent {
  readonly asked: string[]
  readonly auth: AuthProvider
}

export function userAgent(
  issuer: AuthorizationServer,
  options: Partial<ClientOAuthOptions>,
  user = 'alice',
): UserAgent {
  const asked: string[] = []
  const grant = authorizationCode({
    redirectUri: REDIRECT,
    authorize: (url, { signal }) => {
      asked.push(url.searchParams.get('scope') ?? '')
      return issuer.signIn(url, { user, signal })
    },
  })
  return { asked, auth: clientOAuth({ grant, ...options }) }
}

/** Builds a request to a server that requires tokens. */
export interface Sent {
  readonly status: number
  readonly session: string | null
  readonly token: string | undefined
}

/** Connects Jetway's client until the end of the test. */
export async function connect(
  url: string,
  auth: AuthProvider,
): Promise<{ readonly client: Client; readonly sent: Sent[] }> {
  const sent: Sent[] = []
  const client = new Client({ name: 'test', version: '1.0.0' })
  onTestFinished(() => client.close())
  await client.connect(
    http(url, {
      auth,
      fetch: async (address, init) => {
        const response = await fetch(address, init)
        const headers = new Headers(init?.headers)
        const token = headers.get('authorization')?.replace(/^\S+ /, '')
        sent.push({ status: response.status, session: headers.get('mcp-session-id'), token })
        return response
      },
    }),
  )
  return { client, sent }
}

/** Calls a tool, and returns its text. */
export async function call(client: Client, name: string): Promise<string> {
  const { content } = await client.callTool(name)
  const [first] = content
  return first?.type === 'text' ? first.text : JSON.stringify(content)
}

/** Opens a session with a token. Resolves to the headers for the session's requests. */
export async function openSession(url: string, token: string): Promise<Record<string, string>> {
  const authorization = `Bearer ${token}`
  const opened = await post(url, JSON.stringify(initialize()), { authorization })
  expect(opened.status).toBe(200)
  const headers = { authorization, 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
  expect((await post(url, JSON.stringify(INITIALIZED), headers)).status).toBe(202)
  return headers
}
