import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface FaultProxyOptions {
  /** The port on loopback to which the proxy connects. */
  readonly port: number
  /** Returns the limit on the replies of one connection. */
  readonly allowance: () => Allowance
  /** Returns how the proxy ends the connection to the server after a cut. */
  readonly abort: () => 'reset' | 'close'
}

/** Decides how many of the server's bytes pass through. */
export interface Allowance {
  take(chunk: Buffer): Buffer
}

/** Lets this many bytes pass after the first event with an id, or all bytes if undefined. */
export const beyondFirstId = (cutAfter: () => number | undefined): Allowance => new BeyondFirstId(cutAfter)

/** Lets this many bytes pass in total, or all bytes if undefined. */
export const inAll = (bytes: number | undefined): Allowance => new InAll(bytes)

/** Starts a TCP proxy that cuts replies at any position: inside a character, a field, a chunk or a header. */
export async function startFaultProxy({ port, allowance: allow, abort }: FaultProxyOptions) {
  let cuts = 0
  const sockets = new Set<Socket>()
  const proxy = createServer((client) => {
    const server = connect(port, '127.0.0.1')
    for (const socket of [client, server]) {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
    }
    const allowance = allow()
    const leave = (): void => {
      if (abort() === 'reset') server.resetAndDestroy()
      else server.destroy()
    }
    server.on('data', (chunk: Buffer) => {
      const taken = allowance.take(chunk)
      client.write(taken)
      if (taken.length === chunk.length) return
      cuts++
      // The client still receives the bytes that have passed, but never the rest.
      client.end()
      leave()
    })
    server.on('end', () => client.end())
    server.on('error', () => client.destroy())
    client.on('data', (chunk) => server.write(chunk))
    client.on('close', () => server.destroy())
    client.on('error', () => server.destroy())
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  return {
    port: (proxy.address() as AddressInfo).port,
    get cuts() {
      return cuts
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      proxy.close()
      await once(proxy, 'close')
    },
  }
}

class InAll implements Allowance {
  #left: number | undefined

  constructor(bytes: number | undefined) {
    this.#left = bytes
  }

  take(chunk: Buffer): Buffer {
    if (this.#left === undefined) return chunk
    const taken = chunk.subarray(0, this.#left)
    this.#left -= taken.length
    return taken
  }
}

class BeyondFirstId implements Allowance {
  readonly #cutAfter: () => number | undefined
  #head = ''
  #rest: Allowance | undefined

  constructor(cutAfter: () => number | undefined) {
    this.#cutAfter = cutAfter
  }

  take(chunk: Buffer): Buffer {
    if (this.#rest !== undefined) return this.#rest.take(chunk)
    const before = this.#head.length
    this.#head += chunk.toString('latin1')
    const id = this.#head.search(/\nid: .*\n/)
    const end = id === -1 ? -1 : this.#head.indexOf('\n\n', id + 1)
    if (end === -1) return chunk
    this.#rest = inAll(this.#cutAfter())
    const sent = end + 2 - before
    return Buffer.concat([chunk.subarray(0, sent), this.#rest.take(chunk.subarray(sent))])
  }
}
