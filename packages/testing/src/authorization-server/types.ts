import type { Disruption, Endpoint } from './front.ts'

/** How clients may register without a person. */
export type ClientRegistration = 'metadata-document' | 'dynamic'

/** Options of `startAuthorizationServer`. */
export interface AuthorizationServerOptions {
  /** The scopes that it grants, for every resource. It ignores others in a request, and grants all if there is none. */
  readonly scopes: readonly string[]
  /** The format of access tokens: signed JWTs, or opaque ones, which only introspection can read. @default 'jwt' */
  readonly tokens?: 'jwt' | 'opaque'
  /** How long access tokens are valid, in seconds, see {@link AuthorizationServer.lifetime}. @default 300 */
  readonly lifetime?: number
  /** @default both */
  readonly registration?: readonly ClientRegistration[]
  /**
   * The redirect URIs of the client that is registered by hand and of the metadata document. For http on
   * loopback, any port is allowed. @default `/callback` and `/oauth/callback` on `127.0.0.1` and `localhost`
   */
  readonly redirectUris?: readonly string[]
  /** The port on 127.0.0.1. @default a free one */
  readonly port?: number
}

/** Options of {@link AuthorizationServer.signIn}. */
export interface SignInOptions {
  /** The user that signs in: the subject of the tokens. @default 'alice' */
  readonly user?: string
  readonly signal?: AbortSignal
}

/** The token that {@link AuthorizationServer.issue} requests. */
export interface TokenRequest {
  /** The address of the MCP server. It becomes the audience. */
  readonly resource: string
  /** @default all that the authorization server grants */
  readonly scopes?: readonly string[]
  /** @default 'alice' */
  readonly user?: string
}

/** The tokens of one authorization. */
export interface TokenSet {
  readonly accessToken: string
  readonly refreshToken: string
  /** Separated by spaces. */
  readonly scope: string
  /** In seconds. */
  readonly expiresIn: number
}

/** A running authorization server. `await using` closes it. */
export interface AuthorizationServer extends AsyncDisposable {
  /** The issuer identifier, such as `http://127.0.0.1:41873`. */
  readonly issuer: string
  /** A public client that is registered by hand: for `clients` of `@jetway/client/oauth`. */
  readonly client: { readonly clientId: string; readonly issuer: string }
  /** A confidential client, for introspection and for the grant `client_credentials`. */
  readonly service: { readonly clientId: string; readonly clientSecret: string; readonly issuer: string }
  /** The URL of a client metadata document. The authorization server has it in memory and opens no connection. */
  readonly clientMetadataUrl: string
  /**
   * How long the access tokens are valid that it issues from now on, in seconds. Zero or less issues tokens that
   * have already expired, although the client gets `expires_in: 1`.
   */
  lifetime: number
  /**
   * Opens an authorization URL as a browser does, signs in, consents to all scopes, and resolves to the URL with
   * the code. It fits `authorize` of `authorizationCode` in `@jetway/client/oauth`.
   *
   * @throws Error if the authorization server shows an error page
   */
  readonly signIn: (url: URL | string, options?: SignInOptions) => Promise<string>
  /** Gets tokens by the authorization code flow, without a client. */
  issue(request: TokenRequest): Promise<TokenSet>
  /**
   * Ends what users have authorized: refresh tokens and opaque access tokens are invalid at once. Access tokens
   * that are JWTs are valid until they expire.
   *
   * @param user - default: all users
   */
  revoke(user?: string): void
  /**
   * Replaces the signing key. Tokens that the old key has signed are invalid once a server has fetched the keys again.
   */
  rotateKeys(): void
  /** Makes an endpoint fail until {@link restore}. */
  disrupt(endpoint: Endpoint, disruption: Disruption): void
  /** Ends all disruptions. Requests that wait for an answer get it. */
  restore(): void
  /** How many requests an endpoint has received. */
  requests(endpoint: Endpoint): number
  /**
   * Publishes a client metadata document, in addition to that at {@link clientMetadataUrl}. Nothing is sent to its URL.
   *
   * @param document - its `client_id` must be `url`
   */
  publish(url: string, document: Readonly<Record<string, unknown>>): void
  /** Closes all connections. */
  close(): Promise<void>
}
