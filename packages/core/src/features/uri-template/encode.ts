/**
 * One percent triplet, or one character that a URI may not hold as it is.
 *
 * @see https://www.rfc-editor.org/rfc/rfc3986#section-2
 */
const TRIPLET_OR_FOREIGN = /%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]/gu

const isTriplet = (text: string): boolean => text.length === 3 && text.startsWith('%')

/** Encodes all but the unreserved characters; `encodeURIComponent` leaves five more as they are. */
export const encodeUnreserved = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )

/** Encodes what is neither reserved, nor unreserved, nor a percent triplet already. */
export const encodeReserved = (text: string): string =>
  text.replace(TRIPLET_OR_FOREIGN, (found) => (isTriplet(found) ? found : encodeURIComponent(found)))

/**
 * The one spelling in which templates and URIs are compared: ASCII, upper-case triplets. A raw backslash
 * becomes `%5C` and a raw control character a triplet, so that both spellings meet the same checks. A lone
 * percent sign stays, malformed as it is. Throws a `URIError` on a lone surrogate.
 */
export const canonical = (text: string): string =>
  text.replace(TRIPLET_OR_FOREIGN, (found) =>
    found.startsWith('%') ? found.toUpperCase() : encodeURIComponent(found),
  )
