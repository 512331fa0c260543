import { once } from 'node:events'
import { createConnection, createServer, type Socket } from 'node:net'

/** A TCP proxy in front of Redis. */
export interface SlowProxy {
  readonly url: string
  /** Delays all later data in each direction by this many ms. */
  delay(ms: number): void
  /** Sets whether all connections, including new ones, are reset. */
  refuse(refused: boolean): void
  /** Routes new connections to another port. Open connections are not affected. */
  moveTo(port: number): void
  /** Resets all connections. */
  reset(): void
  stop(): Promise<void>
}

export async function startSlowProxy(port: number): Promise<SlowProxy> {
  let ms = 0
  let target = port
  let refused = false
  const sockets = new Set<Socket>()
  const pipe = (from: Socket, to: Socket): void => {
    sockets.add(from)
    from.on('data', (data) => setTimeout(() => to.write(data), ms))
    from.on('error', () => {})
    from.on('close', () => {
      sockets.delete(from)
      to.destroy()
    })
  }
  const server = createServer((near) => {
    if (refused) {
      near.on('error', () => {}).resetAndDestroy()
      return
    }
    const far = createConnection(target, '127.0.0.1')
    pipe(near, far)
    pipe(far, near)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('The proxy does not listen')
  const reset = (): void => {
    for (const socket of sockets) socket.resetAndDestroy()
  }
  return {
    url: `redis://127.0.0.1:${address.port}`,
    delay: (next) => {
      ms = next
    },
    refuse: (next) => {
      refused = next
      if (refused) reset()
    },
    moveTo: (next) => {
      target = next
    },
    reset,
    stop: async () => {
      reset()
      await new Promise((closed) => server.close(closed))
    },
  }
}
