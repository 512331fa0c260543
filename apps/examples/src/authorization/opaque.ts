import process from 'node:process'
import { introspection, oauth } from '@jetway/auth'

// #region opaque
export const authenticate = oauth({
  issuer: 'https://auth.example.com',
  token: introspection({ clientId: 'files', clientSecret: process.env['SECRET'] ?? '' }),
})
// #endregion opaque
