import { errorMonitor, type EventEmitter } from 'node:events'
import { Server } from 'node:net'

export interface Listening {
  /** Whether anything of this process listens, or has begun to. */
  readonly begun: boolean
  /** The port of the first server that listens; one that listens on the wanted port comes first. */
  readonly port: Promise<number>
}

/** Finds out where a program of this process listens, whatever framework it uses. */
export function watchListening(wanted: number, onInUse: (port?: number) => void): Listening {
  let begun = false
  let resolve!: (port: number) => void
  const port = new Promise<number>((settle) => {
    resolve = settle
  })
  const prototype: { listen: (this: Server, ...args: never[]) => Server } = Server.prototype
  const { listen } = prototype
  prototype.listen = function (...args) {
    begun = true
    this.once('listening', () => {
      const address = this.address()
      if (address === null || typeof address === 'string') return
      if (address.port === wanted) resolve(address.port)
      // Another server of the program, such as one for metrics, may be first.
      else setTimeout(() => resolve(address.port), OTHERS_MS).unref()
    })
    // Does not count as a listener: an error that the program does not handle still ends it.
    ;(this as EventEmitter).once(errorMonitor, (error: NodeJS.ErrnoException & { port?: number }) => {
      if (error.code === 'EADDRINUSE') onInUse(error.port)
    })
    return listen.apply(this, args)
  }
  return {
    get begun() {
      return begun
    },
    port,
  }
}

/** How long a server on the wanted port may come after another one, in ms. */
const OTHERS_MS = 100
