import { bearerToken, Client, type AuthFetch, type AuthProvider, withAuth } from '@jetway/client'
import { http } from '@jetway/client/http'
import {
  authorizationCode,
  clientCredentials,
  type CredentialKind,
  type CredentialStore,
  enterpriseManaged,
  loopbackRedirect,
  oauth,
  workloadIdentity,
} from '@jetway/client/oauth'

// #region bearer
export const fixed: AuthProvider = bearerToken('a-token-that-never-changes')

export const rotating = (vault: { read(name: string): Promise<string> }): AuthProvider =>
  bearerToken(() => vault.read('mcp-token'))
// #endregion

// #region own
/** Signs each request. */
export const signing = (sign: (text: string) => Promise<string>): AuthProvider => ({
  headers: async ({ method, url, body = '' }) => ({ 'x-signature': await sign(`${method} ${url}\n${body}`) }),
})
// #endregion

// #region connect
export async function connected(url: string, auth: AuthProvider): Promise<Client> {
  const client = new Client({ name: 'example', version: '1.0.0' })
  return await client.connect(http(url, { auth }))
}
// #endregion

// #region fetch
export function authorizedFetch(url: string, auth: AuthProvider): AuthFetch {
  return withAuth(fetch, auth, url)
}
// #endregion

// #region user
/** `open` opens a URL in the system's browser, without a shell. */
export const forUser = (open: (url: URL) => Promise<void>, port = 33_418): AuthProvider =>
  oauth({
    grant: authorizationCode(loopbackRedirect({ port, open })),
    clientMetadataUrl: 'https://app.example.com/mcp-client.json',
    registration: { clientName: 'Example app' },
  })
// #endregion

// #region machine
export const forService = (secret: string): AuthProvider =>
  oauth({
    grant: clientCredentials(),
    clients: [{ clientId: 'nightly-report', clientSecret: secret, issuer: 'https://auth.example.com' }],
  })

export const forServiceWithKey = (pem: string): AuthProvider =>
  oauth({
    grant: clientCredentials(),
    clients: [
      {
        clientId: 'nightly-report',
        privateKey: { key: pem, alg: 'ES256', kid: '2026-07' },
        issuer: 'https://auth.example.com',
      },
    ],
  })
// #endregion

// #region workload
export const forWorkload = (serviceAccountToken: () => Promise<string>): AuthProvider =>
  oauth({
    grant: workloadIdentity({ assertion: serviceAccountToken }),
    clients: [{ clientId: 'report-pod', issuer: 'https://auth.example.com' }],
  })
// #endregion

// #region enterprise
export const forEmployee = (idToken: () => Promise<string>, secret: string): AuthProvider =>
  oauth({
    grant: enterpriseManaged({
      identityProvider: { issuer: 'https://login.example.com', clientId: 'assistant' },
      subjectToken: idToken,
    }),
    clients: [{ clientId: 'assistant-at-wiki', clientSecret: secret, issuer: 'https://auth.wiki.example' }],
  })
// #endregion

// #region dpop
export const bound = (open: (url: URL) => Promise<void>): AuthProvider =>
  oauth({
    grant: authorizationCode(loopbackRedirect({ port: 33_419, open })),
    registration: { clientName: 'Example app' },
    dpop: { mode: 'required' },
  })
// #endregion

// #region store
interface Keychain {
  get(name: string): Promise<string | null>
  set(name: string, value: string | null): Promise<void>
}

export const inKeychain = (keychain: Keychain): CredentialStore => {
  const nameOf = (kind: CredentialKind, name: string): string => `mcp:${kind}:${name}`
  return {
    read: async (kind, name) => JSON.parse((await keychain.get(nameOf(kind, name))) ?? 'null') ?? undefined,
    write: (kind, name, value) =>
      keychain.set(nameOf(kind, name), value === undefined ? null : JSON.stringify(value)),
  }
}
// #endregion
