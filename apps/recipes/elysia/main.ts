// #region app
import { toFetch } from '@jetway/core/http'
import { Elysia } from 'elysia'
import { authenticate, server } from './server.ts'

const handler = toFetch(server, { allowedHosts: ['localhost', '127.0.0.1'], authenticate })

const app = new Elysia().all('/mcp', ({ request }) => handler(request), { parse: 'none' })

// Bun closes idle connections after 10 s, but streams send a keep-alive comment every 15 s.
app.listen({ hostname: '127.0.0.1', port: Number(process.env['PORT'] ?? 3000), idleTimeout: 60 })
// #endregion
console.log('Port', app.server?.port)
