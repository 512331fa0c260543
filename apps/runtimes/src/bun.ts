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
// Bun ends a connection after 10 seconds of silence, and streams are kept alive every 15.
const { port } = Bun.serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0, idleTimeout: 60 })
console.log(`port ${port}`)
// #endregion
