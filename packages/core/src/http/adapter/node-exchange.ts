import type { HttpRequest } from '../types.ts'
import type { NodeRequest } from './node-reply.ts'
import type { NodeResponse } from './stall-limit.ts'

type Socket = NonNullable<HttpRequest['peer']> & NodeRequest['socket']

/** Node's own request and response, which carry a web request. */
export interface NodeExchange {
  readonly incoming: NodeRequest & {
    readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>
    readonly socket: Socket
  }
  readonly outgoing: NodeResponse | undefined
}

interface WithRuntime {
  readonly runtime?: {
    readonly node?: { readonly req?: NodeExchange['incoming']; readonly res?: NodeResponse }
  }
}

/**
 * The Node request and response behind a web request, if the host passes them along: `@hono/node-server` does
 * in the second argument of `fetch`, srvx (h3, Nitro) in the request.
 */
export function nodeExchange(request: Request, environment: readonly unknown[]): NodeExchange | undefined {
  const { req, res } = (request as WithRuntime).runtime?.node ?? {}
  if (req !== undefined) return { incoming: req, outgoing: res }
  const env = environment[0] as Partial<NodeExchange> | null | undefined
  // A Worker may have bindings of these names.
  return env?.incoming?.socket === undefined ? undefined : (env as NodeExchange)
}
