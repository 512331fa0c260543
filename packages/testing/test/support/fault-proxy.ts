import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface FaultProxy {
  readonly port: number
  /** Connections that it has cut. */
  readonly cuts: number
  close(): Promise<void>
}

export interface FaultProxyOptions {
  /** Where what comes in goes to, on loopback. */
  readonly port: number
  /** The bytes that a reply gets beyond its first event with an id, or undefined to let it be. Asked for each of them. */
  readonly cutAfter: () => number | undefined
  /** How the server's side of a cut looks. */
  readonly abort: () => 'reset' | 'close'
}

/** A TCP proxy that cuts event streams in the middle of whatever is being sent: a character, a field, a chunk. */
export async function startFaultProxy({ port, cutAfter, abort }: FaultProxyOptions): Promise<FaultProxy> {
  let cuts = 0
  const sockets = new Set<Socket>()
  const proxy = createServer((client) => {
    const server = connect(port, '127.0.0.1')
    for (const socket of [client, server]) {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
    }
    const allowance = new Allowance(cutAfter)
    const leave = (): void => {
      if (abort() === 'reset') server.resetAndDestroy()
      else server.destroy()
    }
    server.on('data', (chunk: Buffer) => {
      const taken = allowance.take(chunk)
      client.write(taken)
      if (taken.length === chunk.length) return
      cuts++
      // What has been let through arrives; the rest never leaves.
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

/** How much of one reply may pass. */
class Allowance {
  readonly #cutAfter: () => number | undefined
  #head = ''
  #left: number | undefined
  #known = false

  constructor(cutAfter: () => number | undefined) {
    this.#cutAfter = cutAfter
  }

  take(chunk: Buffer): Buffer {
    if (this.#known) return this.#limit(chunk)
    const before = this.#head.length
    this.#head += chunk.toString('latin1')
    const id = this.#head.search(/\nid: .*\n/)
    const end = id === -1 ? -1 : this.#head.indexOf('\n\n', id + 1)
    if (end === -1) return chunk
    this.#known = true
    this.#left = this.#cutAfter()
    const sent = end + 2 - before
    return Buffer.concat([chunk.subarray(0, sent), this.#limit(chunk.subarray(sent))])
  }

  #limit(chunk: Buffer): Buffer {
    if (this.#left === undefined) return chunk
    const taken = chunk.subarray(0, this.#left)
    this.#left -= taken.length
    return taken
  }
}
