export { oauth } from './oauth.ts'
export type {
  DpopOptions,
  IssuerOptions,
  OAuthExtra,
  OAuthOptions,
  ResourceMetadataFields,
  TokenCacheOptions,
} from './options.ts'
export { jwt, type JwtOptions } from './jwt/jwt.ts'
export type { TokenCheck } from './tokens/token-check.ts'
export { introspection, type IntrospectionOptions } from './tokens/introspection.ts'
export { auth0, authkit, clerk, entra, keycloak, type Preset } from './providers/providers.ts'
