interface Cookie {
  readonly name: string
  readonly value: string
  readonly origin: string
  readonly path: string
}

/** The last page of a visit, or the first address outside the test's servers. */
export interface Page {
  readonly url: URL
  readonly status: number
  readonly text: string
}

const MAX_REDIRECTS = 20

/** Follows redirects, and keeps cookies by origin and path. */
export class Browser {
  readonly #cookies = new Map<string, Cookie>()
  readonly #stop: (url: URL) => boolean

  /** @param stop - returns whether an address must not be visited, such as a client's redirect URI */
  constructor(stop: (url: URL) => boolean) {
    this.#stop = stop
  }

  async visit(address: URL | string, init: RequestInit = {}): Promise<Page> {
    let url = new URL(address)
    let request = init
    for (let redirects = 0; redirects < MAX_REDIRECTS; redirects++) {
      if (this.#stop(url)) return { url, status: 0, text: '' }
      const headers = { ...(request.headers as Record<string, string>), cookie: this.#cookiesFor(url) }
      const response = await fetch(url, { ...request, headers, redirect: 'manual' })
      this.#keep(url, response)
      const text = await response.text()
      const location = response.headers.get('location')
      if (location === null) return { url, status: response.status, text }
      url = new URL(location, url)
      request = {}
    }
    throw new Error('Too many redirects')
  }

  /** Submits a page's form with its hidden fields, and with the button that the user clicks. */
  submit({ url, text }: Page, ...button: readonly [name: string, value: string] | []): Promise<Page> {
    const [, action = ''] = /<form method="post" action="([^"]+)"/.exec(text) ?? []
    const fields = text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]+)"/g)
    const body = new URLSearchParams(Array.from(fields, ([, name = '', value = '']) => [name, value]))
    const [name, value] = button
    if (name !== undefined && value !== undefined) body.append(name, value)
    return this.visit(new URL(action, url), { method: 'POST', body })
  }

  #cookiesFor({ origin, pathname }: URL): string {
    return [...this.#cookies.values()]
      .filter((cookie) => cookie.origin === origin && pathname.startsWith(cookie.path))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ')
  }

  #keep({ origin }: URL, response: Response): void {
    for (const header of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(header) ?? []
      const path = /;\s*path=([^;]+)/i.exec(header)?.[1] ?? '/'
      const key = `${origin} ${path} ${name}`
      if (value === '') this.#cookies.delete(key)
      else this.#cookies.set(key, { name, value, origin, path })
    }
  }
}
