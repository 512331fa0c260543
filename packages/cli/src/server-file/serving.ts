import { errorMonitor, type EventEmitter } from 'node:events'
import { Server } from 'node:net'
import process from 'node:process'

/** Detects how the program in this process serves. */
export interface Serving {
  /** Whether the program has started to read stdin or to listen for HTTP requests. */
  readonly begun: boolean
  /** Resolves when the program reads stdin. */
  readonly input: Promise<void>
  /** Resolves to the port on which the program serves HTTP: the wanted port, otherwise the first one. */
  readonly port: Promise<number>
}

/**
 * How long to wait for a server on the wanted port after the program has started another server, such as one
 * for metrics, in ms.
 */
const OTHERS_MS = 100

/**
 * Detects how a program serves, with any framework. Must be called before the program is imported.
 *
 * @param wanted - the port on which the program should listen
 * @param onPortInUse - called when one of the program's servers cannot listen
 */
export function watchServing(wanted: number, onPortInUse: (port?: number) => void = () => {}): Serving {
  const http = watchListening(wanted, onPortInUse)
  let readsInput = false
  const input = new Promise<void>((resolve) => {
    process.stdin.on('newListener', (event: string) => {
      if (event !== 'data' && event !== 'readable') return
      readsInput = true
      resolve()
    })
  })
  return {
    input,
    port: http.port,
    get begun() {
      return readsInput || [...http.servers].some(answersRequests)
    },
  }
}

function watchListening(wanted: number, onPortInUse: (port?: number) => void) {
  const servers = new Set<Server>()
  const prototype: { listen: (this: Server, ...args: never[]) => Server } = Server.prototype
  const { listen } = prototype
  const port = new Promise<number>((resolve) => {
    prototype.listen = function (...args) {
      servers.add(this)
      this.once('listening', () => {
        const address = this.address()
        if (!answersRequests(this) || address === null || typeof address === 'string') return
        if (address.port === wanted) resolve(wanted)
        else setTimeout(() => resolve(address.port), OTHERS_MS).unref()
      })
      // This does not count as a listener, so unhandled errors still terminate the program.
      ;(this as EventEmitter).once(errorMonitor, (error: NodeJS.ErrnoException & { port?: number }) => {
        if (error.code === 'EADDRINUSE') onPortInUse(error.port)
      })
      return listen.apply(this, args)
    }
  })
  return { servers, port }
}

/**
 * Returns whether a server answers HTTP requests. Other servers only look for a free port, or use another
 * protocol.
 */
const answersRequests = (server: Server): boolean => server.listenerCount('request') > 0
