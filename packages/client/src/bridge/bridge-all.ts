import { type HostTool, type HostToolOptions, hostTools } from './host-tool.ts'
import { sourceOf, type SourceEvent, type Tools } from './source.ts'

/** Where a host has its tools, by name. A `Map` is one. */
export interface ToolRegistry {
  has(name: string): boolean
  set(name: string, tool: HostTool): unknown
  delete(name: string): unknown
  /** Where it is there, a tool that somebody else has put in the place of a bridge's is left alone. */
  get?(name: string): unknown
}

/** Options of {@link bridgeAll}. */
export interface BridgeOptions extends HostToolOptions {
  /** A tool was left out, since the registry has one of that name already. Once for each, until that has changed. */
  readonly onSkipped?: (tool: HostTool) => void
  /** The tools could not be listed after a change; those that are there stay. */
  readonly onError?: (error: unknown) => void
}

/** Tools of servers in a host's registry. */
export interface Bridge {
  /** How many are there now. */
  readonly count: number
  /** The names of those that were left out. */
  readonly skipped: readonly string[]
  /** Lists anew, and brings the registry up to that. Happens by itself where the source tells of changes. */
  refresh(): Promise<void>
  /** Follows no more changes, and takes its tools out of the registry. Safe to call again. */
  stop(): void
  [Symbol.dispose](): void
}

const EVENTS: readonly SourceEvent[] = [
  'mcp_connected',
  'mcp_reconnected',
  'mcp_list_changed',
  'mcp_server_removed',
]

/**
 * Puts all tools into a host's registry, and keeps them up to date. A tool that the registry has under the same name, of
 * the host or of another bridge, is left alone; it is taken up as soon as the name is free at a refresh.
 */
export async function bridgeAll(
  from: Tools,
  registry: ToolRegistry,
  options: BridgeOptions = {},
): Promise<Bridge> {
  const bridge = new RegistryBridge(from, registry, options)
  try {
    await bridge.refresh()
    return bridge
  } catch (error) {
    bridge.stop()
    throw error
  }
}

class RegistryBridge implements Bridge {
  readonly #from: Tools
  readonly #registry: ToolRegistry
  readonly #options: BridgeOptions
  readonly #own = new Map<string, HostTool>()
  readonly #offs: (() => void)[]
  #skipped: ReadonlySet<string> = new Set()
  #running: Promise<void> | undefined
  /** The one after that which runs: what it has listed may be out of date already. */
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

  get count(): number {
    return this.#own.size
  }

  get skipped(): readonly string[] {
    return [...this.#skipped]
  }

  refresh(): Promise<void> {
    if (this.#running === undefined) return this.#run()
    return (this.#next ??= this.#running
      .catch(() => {})
      .then(() => {
        this.#next = undefined
        return this.#run()
      }))
  }

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
    const running = this.#list().finally(() => {
      if (this.#running === running) this.#running = undefined
    })
    this.#running = running
    return running
  }

  async #list(): Promise<void> {
    if (this.#stopped) return
    const tools = await hostTools(this.#from, this.#options)
    // It may have been stopped in the meantime.
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

  /** Whether what the registry has under a name is still what was put there. */
  #holds(name: string): boolean {
    if (!this.#registry.has(name)) return false
    return this.#registry.get === undefined || this.#registry.get(name) === this.#own.get(name)
  }
}
