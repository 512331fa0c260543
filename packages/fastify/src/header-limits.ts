import type { Logger } from '@jetway/core'

/** Node's default value of `headersTimeout`, in ms. */
const NODE_DEFAULT_MS = 60_000
const UNLIMITED =
  'The HTTP server waits 60 s for the headers of a request, which is the default of Node.js. Unless a proxy limits them, create the app with http: { headersTimeout: 10_000, connectionsCheckingInterval: 5_000 }'
const NO_REQUEST_TIMEOUT = ', and the option requestTimeout of Fastify, such as 30_000'

interface Limits {
  readonly headersTimeout?: number
  readonly requestTimeout?: number
}

const checked = new WeakSet<object>()

/**
 * Logs, once per HTTP server, that the app does not limit how long headers may take. Call it when the server
 * is listening.
 */
export function checkHeaderLimits(server: Limits, logger: Logger): void {
  // HTTP/2 servers have no such limits.
  if (checked.has(server) || server.headersTimeout !== NODE_DEFAULT_MS) return
  checked.add(server)
  logger.info({}, server.requestTimeout === 0 ? UNLIMITED + NO_REQUEST_TIMEOUT : UNLIMITED)
}
