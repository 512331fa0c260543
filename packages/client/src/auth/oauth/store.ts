/** A dynamic registration. */
export interface StoredClient {
  readonly clientId: string
  readonly clientSecret?: string
  /** The expiry of the secret, in ms since 1970. Absent if the secret does not expire. */
  readonly secretExpiresAt?: number
  readonly authMethod?: string
  /** The registered redirect URIs. Other URIs require a new registration. */
  readonly redirectUris: readonly string[]
}

/** The tokens of one server. */
export interface StoredTokens {
  /** The issuer of the tokens. The refresh token must not be sent to any other server. */
  readonly issuer: string
  readonly clientId: string
  readonly accessToken: string
  readonly tokenType: 'bearer' | 'dpop'
  /** The thumbprint of the DPoP key. See https://www.rfc-editor.org/rfc/rfc9449#section-6.1. */
  readonly keyThumbprint?: string
  readonly refreshToken?: string
  /** The URL of the resource metadata, from the challenge. */
  readonly resourceMetadata?: string
  /** The expiry of the access token, in ms since 1970. Absent if it is unknown. */
  readonly expiresAt?: number
  /** All scopes requested so far. */
  readonly scopes: readonly string[]
}

/**
 * Stores credentials. Registrations are stored by issuer, and tokens by server. A custom store must protect
 * them like passwords, and must keep each user's credentials separate. If a function rejects, the request
 * fails.
 */
export interface CredentialStore {
  read<K extends CredentialKind>(kind: K, name: string): Promise<CredentialKinds[K] | undefined>
  /** Stores a value, or deletes it if it is undefined. */
  write<K extends CredentialKind>(kind: K, name: string, value: CredentialKinds[K] | undefined): Promise<void>
}

/** The kinds of stored values, and the name under which each value is stored. */
export interface CredentialKinds {
  /** A registration, keyed by issuer. */
  client: StoredClient
  /** Tokens, keyed by the server's URL. */
  tokens: StoredTokens
  /** The first issuer for which credentials without an issuer were used, keyed by client id. */
  issuer: string
}

/** The kinds of credentials that a store keeps. */
export type CredentialKind = keyof CredentialKinds

/**
 * Stores up to 1,000 credentials in memory. When the store is full, the oldest registration without tokens is
 * dropped. If there is none, the oldest credential is dropped, and its user is asked again.
 */
export function memoryCredentials(maxEntries: number = 1_000): CredentialStore {
  const entries = new Map<string, CredentialKinds[CredentialKind]>()
  /** A server can name new authorization servers endlessly, and the client may register at each of them. */
  const leastUseful = (): string => {
    const used = new Set([...entries.values()].map((value) => (isTokens(value) ? value.issuer : undefined)))
    const [oldest = ''] = entries.keys()
    const isUnused = (key: string): boolean => key.startsWith(CLIENT) && !used.has(key.slice(CLIENT.length))
    return [...entries.keys()].find(isUnused) ?? oldest
  }
  return {
    read: async <K extends CredentialKind>(kind: K, name: string) =>
      entries.get(`${kind} ${name}`) as CredentialKinds[K] | undefined,
    write: async (kind, name, value) => {
      entries.delete(`${kind} ${name}`)
      if (value === undefined) return
      if (entries.size >= maxEntries) entries.delete(leastUseful())
      entries.set(`${kind} ${name}`, value)
    },
  }
}

/** The prefix of the keys for registrations. */
const CLIENT = 'client '

const isTokens = (value: CredentialKinds[CredentialKind]): value is StoredTokens =>
  typeof value === 'object' && 'accessToken' in value
