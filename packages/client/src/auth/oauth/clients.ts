import { importJWK, importPKCS8, type CryptoKey, type JWK } from 'jose'
import * as oauth from 'oauth4webapi'
import { AuthorizationError } from './errors.ts'

/** How a client proves to a token endpoint who it is. */
export type AuthMethod = 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt'

/** A key that signs assertions: https://www.rfc-editor.org/rfc/rfc7523#section-2.2 */
export interface SigningKey {
  /** A key of Web Crypto, a JWK, or PKCS #8 as PEM. */
  readonly key: CryptoKey | JWK | string
  /** Such as `ES256`. */
  readonly alg: string
  readonly kid?: string
}

/** A client that was registered by hand. */
export interface ClientCredentials {
  readonly clientId: string
  readonly clientSecret?: string
  /** Signs an assertion in the place of a secret. */
  readonly privateKey?: SigningKey
  /**
   * The issuer that registered it, exactly as its metadata spells it. Credentials without one are bound to the first
   * authorization server that they are used with; name it where you know it.
   */
  readonly issuer?: string
  /** By default, what fits the credentials and the server's metadata. */
  readonly authMethod?: AuthMethod
}

/** A client as one authorization server knows it. */
export interface Identity {
  readonly clientId: string
  readonly authenticate: oauth.ClientAuth
  /** What must not be shown. */
  readonly secrets: readonly string[]
  /** Whether it registered by itself, and can do so again. */
  readonly isRegistered: boolean
}

/** The methods that a server without a list has: https://www.rfc-editor.org/rfc/rfc8414#section-2 */
export const DEFAULT_METHODS: readonly string[] = ['client_secret_basic']

export async function identityOf(
  credentials: ClientCredentials,
  server: oauth.AuthorizationServer,
  isRegistered: boolean,
): Promise<Identity> {
  const { clientId, clientSecret, privateKey } = credentials
  const method = credentials.authMethod ?? fittingMethod(credentials, server)
  const secrets = clientSecret === undefined ? [] : [clientSecret]
  const as = (authenticate: oauth.ClientAuth): Identity => ({ clientId, authenticate, secrets, isRegistered })
  if (method === 'none') return as(oauth.None())
  if (method === 'private_key_jwt' && privateKey !== undefined)
    return as(oauth.PrivateKeyJwt(await importKey(privateKey)))
  if (method === 'client_secret_post' && clientSecret !== undefined)
    return as(oauth.ClientSecretPost(clientSecret))
  if (method === 'client_secret_basic' && clientSecret !== undefined) return as(basic(clientSecret))
  throw new AuthorizationError('registration', `The client ${clientId} has no credentials for ${method}`)
}

function fittingMethod(
  { clientSecret, privateKey }: ClientCredentials,
  server: oauth.AuthorizationServer,
): AuthMethod {
  if (privateKey !== undefined) return 'private_key_jwt'
  if (clientSecret === undefined) return 'none'
  const supported = server.token_endpoint_auth_methods_supported ?? DEFAULT_METHODS
  if (supported.includes('client_secret_basic')) return 'client_secret_basic'
  if (supported.includes('client_secret_post')) return 'client_secret_post'
  return 'client_secret_basic'
}

/**
 * The library's own encodes hyphens and dots as well, which is right too, but servers that don't decode would then
 * refuse ids and secrets that need no encoding at all.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6749#appendix-B
 */
function basic(secret: string): oauth.ClientAuth {
  const encode = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1)
  return (_server, client, _body, headers) => {
    headers.set('authorization', `Basic ${btoa(`${encode(client.client_id)}:${encode(secret)}`)}`)
  }
}

async function importKey({ key, alg, kid }: SigningKey): Promise<oauth.PrivateKey> {
  const named = kid === undefined ? {} : { kid }
  try {
    if (typeof key === 'string') return { key: await importPKCS8(key, alg), ...named }
    if ('kty' in key) return { key: (await importJWK(key, alg)) as CryptoKey, ...named }
    return { key: key as CryptoKey, ...named }
  } catch {
    // The importer's message may quote the key.
    throw new AuthorizationError('registration', `The client's private key is not one for ${alg}`)
  }
}
