import type { IncomingMessage } from 'node:http'

/** The properties in which hosts keep their middleware, as a list of layers or named functions. */
interface Host {
  /** Express 4, where reading `router` throws. */
  readonly _router?: { readonly stack?: readonly Layer[] }
  /** Express 5. */
  readonly router?: { readonly stack?: readonly Layer[] }
  /** Koa. */
  readonly middleware?: readonly Layer[]
}

interface Layer {
  readonly name?: string
}

/** Matches, for example, `jsonParser` (Express), `bodyParser` (Koa) and `multerMiddleware`. */
const READS_BODIES = /pars|body|multer|upload/i

/**
 * Returns the name of the middleware that has read a request's body, for an error message, or undefined if it
 * is unknown.
 */
export function bodyReader(request: IncomingMessage, context: unknown): string | undefined {
  // A mark set by body-parser, which `express.json()` also uses.
  const marked = (request as { readonly _body?: boolean })._body === true
  const names = middlewareOf((context as { readonly app?: Host } | undefined)?.app ?? hostOf(request))
    .map(({ name }) => name)
    .filter((name) => name !== undefined && READS_BODIES.test(name))
  if (names.length > 0) return `the middleware ${names.join(' or ')}`
  return marked ? 'body-parser, such as express.json()' : 'a body parser or another middleware'
}

const hostOf = (request: IncomingMessage): Host | undefined => (request as { readonly app?: Host }).app

const middlewareOf = (host: Host | undefined): readonly Layer[] =>
  host?.middleware ?? (host?._router ?? host?.router)?.stack ?? []
