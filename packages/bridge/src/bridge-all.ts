import { type HostTool, type HostToolOptions, hostTools } from './host-tool.ts'
import { sourceOf, type SourceEvent, type Tools } from './source.ts'

/** A registry of tools, keyed by name, such as a `Map`. */
export interface ToolRegistry {
  has(name: string): boolean
  set(name: string, tool: HostTool): unknown
  delete(name: string): unknown
  /**
   * Returns a registered tool. If this method exists, `stop` does not remove tools that other code has
   * replaced.
   */
  get?(name: string): unknown
}

export interface BridgeOptions extends HostToolOptions {
  /** Called once for each tool that is omitted because its name is already used. */
  readonly onSkipped?: (tool: HostTool) => void
  /** Called if listing tools after a change fails. The registered tools remain registered. */
  readonly onError?: (error: unknown) => void
}

const EVENTS: readonly SourceEvent[] = ['connected', 'reconnected', 'listChanged', 'serverRemoved']

/**
 * Registers all tools, and keeps the registry up to date. Tools that belong to other owners are not replaced.
 * A tool whose name is taken is registered as soon as the name is free.
 */
export async function bridgeAll(
  from: Tools,
  registry: ToolRegistry,
  options: BridgeOptions = {},
): Promise<Bridge> {
  const bridge = new Bridge(from, registry, options)
  try {
    await bridge.refresh()
    return bridge
  } catch (error) {
    bridge.stop()
    throw error
  }
}

/** Registers the tools of all servers, and follows changes to them. */
export class Bridge {
  readonly #from: Tools
  readonly #registry: ToolRegistry
  readonly #options: BridgeOptions
  readonly #own = new Map<string, HostTool>()
  readonly #offs: (() => void)[]
  #skipped: ReadonlySet<string> = new Set()
  #running: Promise<void> | undefined
  /**
   * The update that follows the current one. It is needed if a change occurs after the current update has
   * listed the tools.
   */
  #next: Promise<void> | undefined
  #stopped = false

  constructor(from: Tools, registry: ToolRegistry, options: BridgeOptions) {
    this.#from = from
    this.#registry = registry
    this.#options = options
    const source = sourceOf(from)
    this.#offs = EVENTS.flatMap((event) => {
      const off = source.on?.(event, ({ list = 'tools' }) => list === 'tools' && this.#changed())
      return off === undefined ? [] : [off]
    })
  }

  /** The number of registered tools. */
  get count(): number {
    return this.#own.size
  }

  /** The names of the tools that are omitted because other owners use these names. */
  get skipped(): readonly string[] {
    return [...this.#skipped]
  }

  /** Updates the registry. The source's events trigger this automatically. */
  refresh(): Promise<void> {
    if (this.#running === undefined) return this.#run()
    return (this.#next ??= this.#running
      .catch(() => {})
      .then(() => {
        this.#next = undefined
        return this.#run()
      }))
  }

  /** Stops updating, and removes the tools. Repeated calls have no effect. */
  stop(): void {
    this.#stopped = true
    for (const off of this.#offs.splice(0)) off()
    for (const name of this.#own.keys()) this.#remove(name)
    this.#skipped = new Set()
  }

  [Symbol.dispose](): void {
    this.stop()
  }

  #changed(): void {
    this.refresh().catch((error: unknown) => {
      if (!this.#stopped) this.#options.onError?.(error)
    })
  }

  #run(): Promise<void> {
    return (this.#running = this.#update().finally(() => (this.#running = undefined)))
  }

  async #update(): Promise<void> {
    if (this.#stopped) return
    const tools = await hostTools(this.#from, this.#options)
    // `stop` may have been called during the await.
    if (!this.#stopped) this.#register(tools)
  }

  #register(tools: readonly HostTool[]): void {
    const names = new Set(tools.map(({ name }) => name))
    for (const name of this.#own.keys()) if (!names.has(name) || !this.#holds(name)) this.#remove(name)
    const before = this.#skipped
    const skipped = tools.filter(({ name }) => !this.#own.has(name) && this.#registry.has(name))
    this.#skipped = new Set(skipped.map(({ name }) => name))
    for (const tool of tools) {
      if (this.#skipped.has(tool.name)) continue
      this.#registry.set(tool.name, tool)
      this.#own.set(tool.name, tool)
    }
    for (const tool of skipped) if (!before.has(tool.name)) this.#options.onSkipped?.(tool)
  }

  #remove(name: string): void {
    if (this.#holds(name)) this.#registry.delete(name)
    this.#own.delete(name)
  }

  #holds(name: string): boolean {
    if (!this.#registry.has(name)) return false
    return this.#registry.get === undefined || this.#registry.get(name) === this.#own.get(name)
  }
}
