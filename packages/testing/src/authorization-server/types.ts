import type { Disruption, Endpoint } from './front.ts'

/** The ways in which clients can register themselves. */
export type ClientRegistration = 'metadata-document' | 'dynamic'

/** The options of `startAuthorizationServer`. */
export interface AuthorizationServerOptions {
  /**
   * The scopes that the authorization server grants, for every resource. Other scopes in a request are ignored.
   * A request without scopes is granted all of them.
   */
  readonly scopes: readonly string[]
  /**
   * The format of access tokens: signed JWTs, or opaque tokens, which only introspection can read. @default
   * 'jwt'
   */
  readonly tokens?: 'jwt' | 'opaque'
  /** The lifetime of access tokens, in seconds. See {@link AuthorizationServer.lifetime}. @default 300 */
  readonly lifetime?: number
  /** @default both */
  readonly registration?: readonly ClientRegistration[]
  /**
   * The redirect URIs of the manually registered client and of the metadata document. For http on loopback,
   * any port is allowed. @default `/callback` and `/oauth/callback` on `127.0.0.1` and `localhost`
   */
  readonly redirectUris?: readonly string[]
  /** The port on 127.0.0.1. @default a free port */
  readonly port?: number
}

/** The options of {@link AuthorizationServer.signIn}. */
export interface SignInOptions {
  /** The user who signs in, who becomes the subject of the tokens. @default 'alice' */
  readonly user?: string
  readonly signal?: AbortSignal
}

/** Describes the tokens that {@link AuthorizationServer.issue} obtains. */
export interface TokenRequest {
  /** The URL of the MCP server, which becomes the audience. */
  readonly resource: string
  /** @default all scopes that the authorization server grants */
  readonly scopes?: readonly string[]
  /** @default 'alice' */
  readonly user?: string
}

/** The tokens of one authorization. */
export interface TokenSet {
  readonly accessToken: string
  readonly refreshToken: string
  /** The granted scopes, separated by spaces. */
  readonly scope: string
  /** In seconds. */
  readonly expiresIn: number
}

/** A running authorization server. Declare it with `await using` to close it automatically. */
export interface AuthorizationServer extends AsyncDisposable {
  /** The issuer identifier, such as `http://127.0.0.1:41873`. */
  readonly issuer: string
  /** A manually registered public client, for the `clients` option of `@jetway/client/oauth`. */
  readonly client: { readonly clientId: string; readonly issuer: string }
  /** A confidential client, for introspection and for the `client_credentials` grant. */
  readonly service: { readonly clientId: string; readonly clientSecret: string; readonly issuer: string }
  /**
   * The URL of a client metadata document. The authorization server keeps the document in memory, and does
   * not open a connection.
   */
  readonly clientMetadataUrl: string
  /**
   * The lifetime of access tokens issued from now on, in seconds. If zero or less, tokens have already expired
   * when they are issued, although the client receives `expires_in: 1`.
   */
  lifetime: number
  /**
   * Opens an authorization URL as a browser does, signs in, consents to all scopes, and resolves to the URL
   * with the code. It can be passed as `authorize` to `authorizationCode` from `@jetway/client/oauth`.
   *
   * @throws Error if the authorization server shows an error page
   */
  readonly signIn: (url: URL | string, options?: SignInOptions) => Promise<string>
  /** Obtains tokens with the authorization code flow. No client is needed. */
  issue(request: TokenRequest): Promise<TokenSet>
  /**
   * Revokes what users have authorized. Refresh tokens and opaque access tokens become invalid immediately.
   * Access tokens that are JWTs remain valid until they expire.
   *
   * @param user - the user; by default, all users
   */
  revoke(user?: string): void
  /**
   * Replaces the signing key. Tokens signed with the old key become invalid as soon as a server fetches the
   * keys again.
   */
  rotateKeys(): void
  /** Makes an endpoint fail until {@link restore} is called. */
  disrupt(endpoint: Endpoint, disruption: Disruption): void
  /** Ends all disruptions. Waiting requests then receive their responses. */
  restore(): void
  /** Returns the number of requests that an endpoint has received. */
  requests(endpoint: Endpoint): number
  /**
   * Publishes a client metadata document, in addition to the one at {@link clientMetadataUrl}. Nothing is sent
   * to the URL.
   *
   * @param document - the document; its `client_id` must be `url`
   */
  publish(url: string, document: Readonly<Record<string, unknown>>): void
  /** Closes all connections. */
  close(): Promise<void>
}
