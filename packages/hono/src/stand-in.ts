/** Nothing has read from the request before. */
export const UNTOUCHED = 0
/** Code that has read the headers may have changed them. */
export const HEADERS = 1
/** More than the head was read: Node's stream may be used, or this is a real Request. */
export const TOUCHED = 2
export type Touched = typeof UNTOUCHED | typeof HEADERS | typeof TOUCHED

/** The symbols under which the stand-ins of one prototype keep their state. */
interface Kind {
  readonly prototype: object
  readonly headers: symbol
  /** Set with the signal, and by everything that turns the stand-in into a real Request. */
  readonly signal: symbol
}

let known: Kind | undefined

/**
 * Returns how much has been read from the stand-in that `@hono/node-server` passes instead of a Request. The
 * stand-in keeps its headers after they have been read. Cloning it, or reading its body as a stream or its
 * signal, turns it into a real Request, which consumes Node's stream. Middleware that replaces `c.req.raw`
 * also creates a real Request.
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
 * Finds the symbols by reading from a copy of a stand-in: listing the symbols of each request would cost as
 * much as the rest of the guard. Returns undefined for another kind of request.
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
