import { createApp } from './app.ts'

interface DenoRuntime {
  readonly version: { readonly deno: string }
  serve(
    options: {
      readonly hostname: string
      readonly port: number
      readonly onListen: (address: { readonly port: number }) => void
    },
    handler: (request: Request) => Response | Promise<Response>,
  ): unknown
}
declare const Deno: DenoRuntime

// #region serve
const app = createApp({ name: 'deno', version: Deno.version.deno })
const onListen = ({ port }: { readonly port: number }): void => console.log(`port ${port}`)
Deno.serve({ hostname: '127.0.0.1', port: 0, onListen }, app.fetch)
// #endregion
