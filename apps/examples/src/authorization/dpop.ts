import { oauth } from '@jetway/auth'

// #region dpop
export const authenticate = oauth({ issuer: 'https://auth.example.com', dpop: 'accept' })
// #endregion dpop
