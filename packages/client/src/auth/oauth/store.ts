import { BoundedMap } from '../../util/bounded-map.ts'

/** A dynamic registration. */
export interface StoredClient {
  readonly clientId: string
  readonly clientSecret?: string
  /** The expiry of the secret in ms since 1970. Absent if the secret does not expire. */
  readonly secretExpiresAt?: number
  readonly authMethod?: string
  /** The registered redirect URIs. Others need a new registration. */
  readonly redirectUris: readonly string[]
}

/** The tokens of one server. */
export interface StoredTokens {
  /** The issuer of the tokens. The refresh token must not be sent to any other server. */
  readonly issuer: string
  readonly clientId: string
  readonly accessToken: string
  readonly tokenType: 'bearer' | 'dpop'
  /** The thumbprint of the DPoP key: https://www.rfc-editor.org/rfc/rfc9449#section-6.1 */
  readonly keyThumbprint?: string
  readonly refreshToken?: string
  /** The URL of the resource metadata, from the challenge. */
  readonly resourceMetadata?: string
  /** The expiry of the access token in ms since 1970. Absent if unknown. */
  readonly expiresAt?: number
  /** All scopes requested so far. */
  readonly scopes: readonly string[]
}

/**
 * Stores credentials. Registrations are stored by issuer, tokens by server. A custom store must keep them as
 * secret as passwords, and separate for each user. If a function rejects, the request fails.
 */
export interface CredentialStore {
  read<K extends CredentialKind>(kind: K, name: string): Promise<CredentialKinds[K] | undefined>
  /** Stores a value, or deletes it if it is undefined. */
  write<K extends CredentialKind>(kind: K, name: string, value: CredentialKinds[K] | undefined): Promise<void>
}

/** The kinds of stored values, and the name under which each is stored. */
export interface CredentialKinds {
  /** A registration, by issuer. */
  client: StoredClient
  /** Tokens, by the server's URL. */
  tokens: StoredTokens
  /** The first issuer that credentials without an issuer were used with, by client id. */
  issuer: string
}

/** The kinds of credentials that a store keeps. */
export type CredentialKind = keyof CredentialKinds

/** Stores up to 1,000 credentials in memory. The oldest is dropped when it is full, and its user is asked again. */
export function memoryCredentials(maxEntries: number = 1_000): CredentialStore {
  const entries = new BoundedMap<string, CredentialKinds[CredentialKind]>({ maxEntries })
  return {
    read: async <K extends CredentialKind>(kind: K, name: string) =>
      entries.get(`${kind} ${name}`) as CredentialKinds[K] | undefined,
    write: async (kind, name, value) => {
      if (value === undefined) entries.delete(`${kind} ${name}`)
      else entries.set(`${kind} ${name}`, value)
    },
  }
}
