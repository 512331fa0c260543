/** What an authorization server gave to this client when it registered. */
export interface StoredClient {
  readonly clientId: string
  readonly clientSecret?: string
  /** Milliseconds since 1970; absent for a secret that stays valid. */
  readonly secretExpiresAt?: number
  readonly authMethod?: string
  /** The addresses that the registration names: with another one, this client registers again. */
  readonly redirectUris: readonly string[]
}

/** The tokens for one server. */
export interface StoredTokens {
  /** The authorization server that issued them, and the only one that the refresh token may go to. */
  readonly issuer: string
  readonly clientId: string
  readonly accessToken: string
  readonly tokenType: 'bearer' | 'dpop'
  /** The thumbprint of the key that the tokens are bound to: https://www.rfc-editor.org/rfc/rfc9449#section-6.1 */
  readonly keyThumbprint?: string
  readonly refreshToken?: string
  /** Where the server said that its metadata is. */
  readonly resourceMetadata?: string
  /** Milliseconds since 1970; absent where the server has not said. */
  readonly expiresAt?: number
  /** The scopes that were asked for, over all authorizations so far. */
  readonly scopes: readonly string[]
}

/**
 * Where credentials stay. Registrations belong to the authorization server that made them and are kept by its issuer;
 * tokens belong to a server, and name their issuer. A store of your own keeps them where secrets are kept, readable to
 * the one user whose they are. Both functions may fail, and the request that needed them then fails with it.
 */
export interface CredentialStore {
  read<K extends CredentialKind>(kind: K, name: string): Promise<CredentialKinds[K] | undefined>
  /** Undefined deletes. */
  write<K extends CredentialKind>(kind: K, name: string, value: CredentialKinds[K] | undefined): Promise<void>
}

/** What a store holds, and what the name of each entry is. */
export interface CredentialKinds {
  /** By issuer. */
  client: StoredClient
  /** By the address of the server. */
  tokens: StoredTokens
  /** By the client id of credentials that name no issuer: the issuer that they were first used with. */
  issuer: string
}

/** Which of the things that a store holds. */
export type CredentialKind = keyof CredentialKinds

/** How many entries a memory store holds unless told otherwise. */
const DEFAULT_ENTRIES = 1_000

/**
 * Credentials in memory, gone with the process.
 *
 * @param maxEntries beyond it, the entry that was written longest ago is dropped; its user is asked again. Default 1,000
 */
export function memoryCredentials(maxEntries: number = DEFAULT_ENTRIES): CredentialStore {
  const entries = new Map<string, CredentialKinds[CredentialKind]>()
  const key = (kind: string, name: string): string => `${kind} ${name}`
  return {
    read: async <K extends CredentialKind>(kind: K, name: string) =>
      entries.get(key(kind, name)) as CredentialKinds[K] | undefined,
    write: async (kind, name, value) => {
      entries.delete(key(kind, name))
      if (value === undefined) return
      entries.set(key(kind, name), value)
      const [oldest] = entries.keys()
      if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest)
    },
  }
}
