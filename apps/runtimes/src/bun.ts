import { createApp } from './app.ts'

interface BunRuntime {
  readonly version: string
  serve(options: {
    readonly fetch: (request: Request) => Response | Promise<Response>
    readonly hostname: string
    readonly port: number
    readonly idleTimeout: number
  }): { readonly port: number }
}
declare const Bun: BunRuntime

// #region serve
const app = createApp({ name: 'bun', version: Bun.version })
// Bun closes idle connections after 10 s, but streams send a keep-alive comment only every 15 s.
const { port } = Bun.serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0, idleTimeout: 60 })
console.log(`port ${port}`)
// #endregion
