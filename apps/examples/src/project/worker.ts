// #region file
import { toFetch } from '@jetway/core/http'
import type { Locals } from './context.ts'
import { server } from './server.ts'

/** The variables in `wrangler.json`, and the Worker's secrets. */
interface Bindings {
  readonly DEFAULT_TEAM: string
}

export default {
  fetch: toFetch(server, {
    path: '/mcp',
    stateless: true,
    publicUrl: 'https://notes.example.workers.dev/mcp',
    allowedHosts: ['notes.example.workers.dev', 'localhost'],
    locals: ({ headers }, { DEFAULT_TEAM }: Bindings): Locals => ({
      team: headers.get('x-team') ?? DEFAULT_TEAM,
    }),
  }),
}
// #endregion
