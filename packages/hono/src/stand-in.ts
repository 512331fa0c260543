/** Nothing has been read from the request. */
export const UNTOUCHED = 0
/** Something has read the headers, and may have changed them. */
export const HEADERS = 1
/** Something has read more than the head. Node's stream may have been used, or this is a real Request. */
export const TOUCHED = 2
export type Touched = typeof UNTOUCHED | typeof HEADERS | typeof TOUCHED

/** The symbols under which stand-ins that share a prototype store their state. */
interface Kind {
  readonly prototype: object
  readonly headers: symbol
  /** Set together with the signal, and whenever the stand-in is converted to a real Request. */
  readonly signal: symbol
}

let known: Kind | undefined

/**
 * Returns how much has been read from the stand-in that `@hono/node-server` passes instead of a Request. The
 * stand-in keeps its headers after they have been read. Cloning it, reading its body as a stream, or reading
 * its signal converts it to a real Request, which consumes Node's stream. Middleware that replaces
 * `c.req.raw` also creates a real Request.
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
 * Finds the symbols by reading from a copy of a stand-in, because listing the symbols of each request would
 * cost as much as the rest of the guard. Returns undefined for other kinds of requests.
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
