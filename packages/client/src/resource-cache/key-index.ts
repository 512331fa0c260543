/** Which keys belong to a resource of a server, so that invalidating looks at no others. */
export class KeyIndex {
  readonly #servers = new Map<string, Map<string, Set<string>>>()

  add(server: string, uri: string, key: string): void {
    let uris = this.#servers.get(server)
    if (uris === undefined) this.#servers.set(server, (uris = new Map()))
    let keys = uris.get(uri)
    if (keys === undefined) uris.set(uri, (keys = new Set()))
    keys.add(key)
  }

  remove(server: string, uri: string, key: string): void {
    const uris = this.#servers.get(server)
    const keys = uris?.get(uri)
    if (uris === undefined || keys?.delete(key) !== true || keys.size > 0) return
    uris.delete(uri)
    if (uris.size === 0) this.#servers.delete(server)
  }

  keys(server: string, uri: string): readonly string[] {
    return [...(this.#servers.get(server)?.get(uri) ?? [])]
  }

  keysOfServer(server: string): readonly string[] {
    return [...(this.#servers.get(server)?.values() ?? [])].flatMap((keys) => [...keys])
  }

  uris(server: string): readonly string[] {
    return [...(this.#servers.get(server)?.keys() ?? [])]
  }
}
