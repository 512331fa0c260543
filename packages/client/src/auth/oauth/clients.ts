import { importJWK, importPKCS8, type CryptoKey, type JWK } from 'jose'
import * as oauth from 'oauth4webapi'
import { AuthorizationError } from './errors.ts'

/** How a client authenticates at a token endpoint. */
export type AuthMethod = 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt'

/** A key for signing assertions. See https://www.rfc-editor.org/rfc/rfc7523#section-2.2. */
export interface SigningKey {
  /** A Web Crypto key, a JWK, or a PKCS #8 key as PEM. */
  readonly key: CryptoKey | JWK | string
  /** The signature algorithm, such as `ES256`. */
  readonly alg: string
  readonly kid?: string
}

/** A client that the user has registered with an authorization server. */
export interface ClientCredentials {
  readonly clientId: string
  readonly clientSecret?: string
  /** The key for signing an assertion, used instead of a secret. */
  readonly privateKey?: SigningKey
  /**
   * The issuer with which the client is registered, spelled as in the issuer's metadata. If it is missing, the
   * credentials are bound to the first authorization server for which they are used.
   */
  readonly issuer?: string
  /** @default a method that is compatible with the credentials and the server's metadata */
  readonly authMethod?: AuthMethod
}

/** A client as registered with one authorization server. */
export interface Identity {
  readonly clientId: string
  readonly authenticate: oauth.ClientAuth
  /** The secrets to remove from messages. */
  readonly secrets: readonly string[]
  /** Whether the client was registered dynamically. If so, it can be registered again. */
  readonly isRegistered: boolean
}

/**
 * The methods assumed for a server whose metadata does not list any. See
 * https://www.rfc-editor.org/rfc/rfc8414#section-2.
 */
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

function fittingMethod({ clientSecret, privateKey }: ClientCredentials, server: oauth.AuthorizationServer) {
  if (privateKey !== undefined) return 'private_key_jwt'
  if (clientSecret === undefined) return 'none'
  const supported = server.token_endpoint_auth_methods_supported ?? DEFAULT_METHODS
  const isPost = !supported.includes('client_secret_basic') && supported.includes('client_secret_post')
  return isPost ? 'client_secret_post' : 'client_secret_basic'
}

/**
 * Encodes credentials without the library. The library also encodes hyphens and dots, and servers that do not
 * decode credentials would reject them.
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
  try {
    const imported =
      typeof key === 'string' ? await importPKCS8(key, alg) : 'kty' in key ? await importJWK(key, alg) : key
    return { key: imported as CryptoKey, ...(kid !== undefined && { kid }) }
  } catch {
    // The message of the original error may quote the key.
    throw new AuthorizationError('registration', `The client's private key does not fit the algorithm ${alg}`)
  }
}
