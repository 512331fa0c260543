export { authorizationCode, type AuthorizationCodeOptions } from './auth/oauth/authorization-code.ts'
export type { AuthMethod, ClientCredentials, SigningKey } from './auth/oauth/clients.ts'
export type { DpopOptions } from './auth/oauth/dpop.ts'
export { AuthorizationError, type AuthorizationFailure } from './auth/oauth/errors.ts'
export type { Resolve, ResolvedAddress } from './auth/oauth/fetch.ts'
export type { Grant } from './auth/oauth/grants.ts'
export { loopbackRedirect, type LoopbackOptions, type LoopbackRedirect } from './auth/oauth/loopback.ts'
export { oauth } from './auth/oauth/oauth.ts'
export type { OAuthOptions, RegistrationOptions } from './auth/oauth/options.ts'
export {
  type CredentialKind,
  type CredentialKinds,
  type CredentialStore,
  memoryCredentials,
  type StoredClient,
  type StoredTokens,
} from './auth/oauth/store.ts'
export {
  type AssertionContext,
  clientCredentials,
  enterpriseManaged,
  type EnterpriseOptions,
  workloadIdentity,
} from './auth/oauth/unattended.ts'
