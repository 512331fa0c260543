import { ErrorCode, McpError, type McpServer, type RequestContext } from '@jetway/core'
import { chain, innerContext, NOTHING_HELD } from '@jetway/core/compose'
import type { Gauges } from '@jetway/core/http'
import type { JsonObject } from '@jetway/core/protocol'

type Runtime = McpServer['runtime']
/** The context as core knows it. Handlers see a part of it. */
export type Call = Parameters<typeof innerContext>[0]

/** The calls that reach a server from the servers that contain it. The server waits for them when it closes. */
export class Inside {
  /** Not a mount: the calls are counted where their clients are connected. */
  readonly isMount = false
  readonly closed: Promise<void>
  readonly #runtime: Runtime
  readonly #running = new Set<Call>()
  #attached = false
  #closing: Promise<void> | undefined
  #onIdle: (() => void) | undefined
  #end: () => void = () => {}

  constructor(runtime: Runtime) {
    this.#runtime = runtime
    this.closed = new Promise((resolve) => (this.#end = resolve))
  }

  /**
   * Returns the context that the server's own functions expect, at once if the server's `lifespan` is open.
   * Otherwise, opens it first.
   *
   * @throws McpError if the server has closed; `ERR_MCP_LIFESPAN`
   */
  enter(ctx: RequestContext<never, never>, params?: JsonObject): Call | Promise<Call> {
    const opening = this.#ready()
    const given = ctx as unknown as Call
    const context = (): Call =>
      innerContext(given, {
        app: this.#runtime.app(),
        ...(params !== undefined && { params: { ...given.message.params, ...params } }),
      })
    return opening === undefined ? context() : opening.then(context)
  }

  /**
   * Opens the server's `lifespan`. Resolves to its app.
   *
   * @throws McpError if the server has closed; `ERR_MCP_LIFESPAN`
   */
  async open(): Promise<unknown> {
    await this.#ready()
    return this.#runtime.app()
  }

  /** Runs the method of the call with other parameters, as the server does for its own clients. */
  run(ctx: RequestContext<never, never>, params: JsonObject): ReturnType<Runtime['dispatcher']['runInside']> {
    return chain(this.enter(ctx, params), (inner) => {
      const ended = (): void => {
        this.#running.delete(inner)
        if (this.#running.size === 0) this.#onIdle?.()
      }
      this.#running.add(inner)
      let result: ReturnType<Runtime['dispatcher']['runInside']>
      try {
        result = this.#runtime.dispatcher.runInside(inner)
      } catch (error) {
        ended()
        throw error
      }
      if (result instanceof Promise) return result.finally(ended)
      ended()
      return result
    })
  }

  gauges(): Gauges {
    return { ...NOTHING_HELD, callsInFlight: this.#running.size }
  }

  close({ deadline = 10_000 }: { readonly deadline?: number } = {}): Promise<void> {
    return (this.#closing ??= this.#close(deadline))
  }

  async #close(deadline: number): Promise<void> {
    const { clock } = this.#runtime
    if (this.#running.size > 0)
      await new Promise<void>((resolve) => {
        const timer = clock.setTimeout(resolve, deadline)
        this.#onIdle = () => {
          clock.clearTimeout(timer)
          resolve()
        }
      })
    for (const { outer } of this.#running) outer?.end?.('closed')
    this.#end()
  }

  /** Counts these calls with the server's mounts, and opens its `lifespan`. Returns undefined if it is open. */
  #ready(): Promise<void> | undefined {
    if (this.#closing !== undefined) throw closed()
    if (!this.#attached) {
      try {
        this.#runtime.attach(this)
      } catch {
        throw closed()
      }
      this.#attached = true
    }
    return this.#runtime.ready()
  }
}

const closed = (): Error => new McpError(ErrorCode.InternalError, 'The server of this definition has closed')
