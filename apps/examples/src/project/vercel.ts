// #region file
import process from 'node:process'
import { toFetch } from '@jetway/core/http'
import type { Locals } from './context.ts'
import { server } from './server.ts'

const { PUBLIC_URL = 'http://localhost:3000/mcp' } = process.env

const handler = toFetch(server, {
  stateless: true,
  publicUrl: PUBLIC_URL,
  allowedHosts: [new URL(PUBLIC_URL).host],
  locals: ({ headers }): Locals => ({ team: headers.get('x-team') ?? 'nobody' }),
})

export { handler as DELETE, handler as GET, handler as OPTIONS, handler as POST }
// #endregion
