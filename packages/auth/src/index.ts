export { oauth } from './oauth.ts'
export type {
  DpopOptions,
  IssuerOptions,
  OAuthExtra,
  OAuthOptions,
  ResourceMetadataFields,
  TokenCacheOptions,
} from './options.ts'
export { jwt, type JwtOptions } from './issuers/jwt.ts'
export type { TokenCheck } from './issuers/token-check.ts'
export { introspection, type IntrospectionOptions } from './issuers/introspection.ts'
export { auth0, authkit, clerk, entra, keycloak, type Preset } from './providers.ts'
