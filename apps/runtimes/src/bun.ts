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

const app = createApp({ name: 'bun', version: Bun.version })
// The time limit is in seconds of silence: a stream is kept alive every 15 of them.
const { port } = Bun.serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0, idleTimeout: 60 })
console.log(`port ${port}`)
