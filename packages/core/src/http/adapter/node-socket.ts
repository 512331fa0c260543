import type { HttpRequest } from '../types.ts'

type Socket = NonNullable<HttpRequest['peer']>
interface NodeRequest {
  readonly socket?: Socket
}

/**
 * The socket of a web request on Node, if the host passes Node's own request along: `@hono/node-server` does in the second
 * argument of `fetch`, srvx (h3, Nitro) in the request.
 */
export function nodeSocket(request: Request, environment: readonly unknown[]): Socket | undefined {
  const { runtime } = request as { readonly runtime?: { readonly node?: { readonly req?: NodeRequest } } }
  const env = environment[0] as { readonly incoming?: NodeRequest } | null | undefined
  return runtime?.node?.req?.socket ?? env?.incoming?.socket
}
