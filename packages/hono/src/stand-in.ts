/** How much of a request somebody has read before. */
export const UNTOUCHED = 0
/** Whoever has looked at the headers may have changed them. */
export const HEADERS = 1
/** More than the head: Node's stream may be taken, or this is a real Request. */
export const TOUCHED = 2
export type Touched = typeof UNTOUCHED | typeof HEADERS | typeof TOUCHED

/** Where the stand-ins of one prototype keep what has been read of them. */
interface Kind {
  readonly prototype: object
  readonly headers: symbol
  /** Made with the signal, and by everything that turns the stand-in into a real Request. */
  readonly signal: symbol
}

let known: Kind | undefined

/**
 * How much has been read of the stand-in for a request that `@hono/node-server` passes. It keeps its headers once they
 * are read, and turns into a real Request, and takes Node's stream for it, once someone wants more than its head: a
 * clone, the body as a stream, the signal. A middleware that replaces `c.req.raw` builds a real Request too.
 */
export function touched(raw: Request): Touched {
  const prototype = Object.getPrototypeOf(raw) as object
  if (known?.prototype !== prototype) {
    if (prototype === Request.prototype) return TOUCHED
    known = learn(raw, prototype)
    if (known === undefined) return TOUCHED
  }
  const held = raw as unknown as Record<symbol, unknown>
  if (held[known.signal] !== undefined) return TOUCHED
  return held[known.headers] === undefined ? UNTOUCHED : HEADERS
}

/**
 * Finds the two on a copy of a stand-in that has been read: listing what each request holds would cost as much as the
 * rest of the guard. Undefined where a request behaves in another way.
 */
function learn(raw: Request, prototype: object): Kind | undefined {
  const copy = Object.create(prototype, Object.getOwnPropertyDescriptors(raw)) as Request
  try {
    void copy.headers
    void copy.signal
  } catch {
    return undefined
  }
  const held = copy as unknown as Record<symbol, unknown>
  const names = Object.getOwnPropertySymbols(copy)
  const headers = names.find((name) => held[name] instanceof Headers)
  const signal = names.find((name) => held[name] instanceof AbortController)
  return headers === undefined || signal === undefined ? undefined : { prototype, headers, signal }
}
