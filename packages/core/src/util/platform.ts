/**
 * Returns whether the platform isolates requests, as Cloudflare Workers does. There, timers and streams end
 * with the request that opened them, and other requests cannot access them.
 *
 * @see
 * https://developers.cloudflare.com/workers/observability/errors/#cannot-perform-io-on-behalf-of-a-different-request
 */
export function isolatedRequests(): boolean {
  const { navigator } = globalThis as { readonly navigator?: { readonly userAgent?: string } }
  return navigator?.userAgent === 'Cloudflare-Workers'
}
