// #region route
import { toFetch } from '@jetway/core/http'
import { authenticate, server } from '../../server'

const handler = toFetch(server, {
  stateless: true,
  allowedHosts: [process.env['HOST'] ?? 'localhost'],
  authenticate,
})

export { handler as DELETE, handler as GET, handler as OPTIONS, handler as POST }
export const maxDuration = 60
// #endregion
