type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

/**
 * Returns a `fetch` that prints each request with its status, but without tokens.
 *
 * @param issuer - requests to this origin are printed as requests to the issuer
 */
export function trace(issuer: string, print: (text: string) => void): { readonly fetch: Fetch } {
  return {
    async fetch(address, init = {}) {
      const url = new URL(address)
      const response = await fetch(url, init)
      const receiver = url.origin === issuer ? 'authorization server' : 'weather server'
      const form = init.body instanceof URLSearchParams ? (init.body.get('grant_type') ?? '') : ''
      const what = [init.method ?? 'GET', url.pathname, form].filter(Boolean).join(' ')
      print(`   ${receiver.padEnd(20)}  ${String(response.status)}  ${what}`)
      const challenge = response.headers.get('www-authenticate')
      if (challenge !== null) print(`${' '.repeat(30)}${challenge}`)
      return response
    },
  }
}
