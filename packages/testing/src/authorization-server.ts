/** A real authorization server on loopback, for tests of servers that require OAuth tokens. */
export { startAuthorizationServer } from './authorization-server/start.ts'
export type {
  AuthorizationServer,
  AuthorizationServerOptions,
  ClientRegistration,
  SignInOptions,
  TokenRequest,
  TokenSet,
} from './authorization-server/types.ts'
export type { Disruption, Endpoint } from './authorization-server/front.ts'
