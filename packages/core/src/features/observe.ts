import { usageError } from '../errors.ts'
import type { Logger } from '../util/logger.ts'
import type { Features } from './features.ts'
import type { Registrations, Registry } from './registry/registry.ts'
import type { ChangeEvent } from '../stores/bus.ts'
import type { List, Source } from './define.ts'

/** A handle for an observed source. */
export interface Observation extends Disposable {
  /** Resolves when the source has been read for the first time, even if reading failed. Never rejects. */
  readonly ready: Promise<void>
  /** Whether the source is being read, has been read, or could not be read. */
  readonly state: 'reading' | 'ready' | 'failed'
  /** The reason of the last failure. Undefined unless the state is `failed`. */
  readonly error: unknown
  /** Stops following the source and removes its definitions. */
  detach(): void
}

interface Follower extends Observation {
  /** Stops following the source. Its definitions remain, because there are no clients left to notify. */
  stop(): void
  contains(runtime: object): boolean
}

/** One kind of definition. `read` returns a function that adds the definitions to the registry. */
interface Mirror {
  read(): Promise<() => void> | (() => void)
  clear(): void
}

/** The server that observes a source. */
interface Observer {
  readonly features: Features
  readonly logger: Logger
  /** Publishes an event of the source as the server's own. */
  readonly publish: (event: ChangeEvent) => void
  readonly onDetach: () => void
}

/** @throws `ERR_MCP_INVALID_DEFINITION` for an object that is not a source */
export function observe(source: Source<never, never>, observer: Observer): Follower {
  const { logger } = observer
  const mirrors = mirrorsOf(source, observer)
  const reader = new Reader(mirrors, logger)
  const unsubscribe = source.onChange(() => reader.onChange())
  const endEvents = source.onEvent?.(observer.publish)
  const stop = (): void => {
    if (reader.stopped) return
    reader.stopped = true
    try {
      endEvents?.()
      unsubscribe?.()
    } catch (err) {
      logger.error({ err }, 'An observed source failed to remove its listener')
    }
  }
  const detach = (): void => {
    stop()
    observer.onDetach()
    for (const mirror of mirrors) mirror.clear()
  }
  return {
    ready: reader.follow(),
    get state() {
      return reader.state
    },
    get error() {
      return reader.failure?.error
    },
    stop,
    detach,
    contains: (runtime) => source.contains?.(runtime) === true,
    [Symbol.dispose]: detach,
  }
}

/** Reads a source, and reads it again after changes. */
class Reader {
  readonly #mirrors: readonly Mirror[]
  readonly #logger: Logger
  stopped = false
  failure: { readonly error: unknown } | undefined
  #reading = false
  #changed = false

  constructor(mirrors: readonly Mirror[], logger: Logger) {
    this.#mirrors = mirrors
    this.#logger = logger
  }

  get state(): Observation['state'] {
    if (this.#reading) return 'reading'
    return this.failure === undefined ? 'ready' : 'failed'
  }

  async follow(): Promise<void> {
    this.#reading = true
    this.#changed = false
    const read = this.#readOnce()
    if (read !== undefined) await read
    this.#reading = false
    if (this.#changed && !this.stopped) await this.follow()
  }

  onChange(): void {
    const pending = this.#changed || this.stopped
    this.#changed = true
    // After many reported changes, a source is read only once. If it reports changes while it is being read, it
    // is read once more.
    if (!pending && !this.#reading)
      queueMicrotask(() => void (this.stopped || this.#reading || this.follow()))
  }

  /**
   * Replaces the definitions of all kinds together, or leaves all of them unchanged if one fails. Synchronous
   * if the source is synchronous.
   */
  #readOnce(): Promise<void> | undefined {
    try {
      const read = this.#mirrors.map((mirror) => mirror.read())
      if (read.some((it) => it instanceof Promise))
        return Promise.all(read.map((it) => Promise.resolve(it)))
          .then((placements) => this.#put(placements))
          .catch((error: unknown) => this.#failed(error))
      this.#put(read as (() => void)[])
    } catch (error) {
      this.#failed(error)
    }
    return undefined
  }

  #put(placements: readonly (() => void)[]): void {
    this.failure = undefined
    if (!this.stopped) for (const place of placements) place()
  }

  #failed(err: unknown): void {
    this.failure = { error: err }
    this.#logger.error({ err }, 'An observed source could not be read; what it last gave stays')
  }
}

function mirrorsOf(source: Source<never, never>, { features, logger }: Observer): readonly Mirror[] {
  if (typeof source?.onChange !== 'function') throw usageError('ERR_MCP_INVALID_DEFINITION', NO_SOURCE)
  const { tools, resources, prompts } = features
  return [
    mirrorOf(tools.registry, () => source.tools?.bind(source), logger),
    mirrorOf(resources.registry, () => source.resources?.bind(source), logger),
    mirrorOf(resources.templates.registry, () => source.resourceTemplates?.bind(source), logger),
    mirrorOf(prompts.registry, () => source.prompts?.bind(source), logger),
  ]
}

function mirrorOf<Definition extends object, Entry extends object>(
  registry: Registry<Definition, Entry>,
  listOf: () => (() => List<Definition>) | undefined,
  logger: Logger,
): Mirror {
  let owned: Registrations<Definition, Entry> = new Map()
  const refuse = (err: unknown): void =>
    logger.error({ err }, 'A definition of an observed source was left out')
  const replace = (given: Iterable<Definition> | undefined): (() => void) => {
    // The iterator is read to its end first, so that an iterator that fails does not leave an incomplete list.
    const definitions = [...(given ?? [])]
    return () => {
      owned = replaceOwned(registry, owned, definitions, refuse)
    }
  }
  return {
    read: () => {
      // A composed server may offer a kind later.
      const list = listOf()
      if (list === undefined) return replace([])
      // Clients learn the capabilities when their session starts, so even an empty list counts as offered.
      registry.offer()
      const given = list()
      return given instanceof Promise ? given.then(replace) : replace(given)
    },
    clear: replace([]),
  }
}

/**
 * Replaces an owner's definitions, starting at the position of its first definition. Unchanged definitions
 * are not compiled again.
 *
 * @param refuse - called for each definition that is omitted because it is invalid or because another owner
 * uses its name
 * @returns the new registrations of the owner
 */
function replaceOwned<Definition extends object, Entry extends object>(
  registry: Registry<Definition, Entry>,
  owned: Registrations<Definition, Entry>,
  definitions: readonly Definition[],
  refuse: (error: unknown) => void,
): Registrations<Definition, Entry> {
  const all = registry.registrations
  const now: Map<string, ReturnType<typeof registry.register>> = new Map()
  for (const definition of definitions) {
    try {
      const key = registry.keyOf(definition)
      const before = owned.get(key)
      const current = all.get(key)
      if (now.has(key) || (current !== undefined && current !== before))
        throw registry.duplicate(key, ' and is kept; this one is left out')
      now.set(key, before?.definition === definition ? before : registry.register(definition))
    } catch (error) {
      refuse(error)
    }
  }
  const before = [...all]
  const isOwned = ([key, registration]: (typeof before)[number]): boolean => owned.get(key) === registration
  const others = before.filter((it) => !isOwned(it))
  const first = before.findIndex(isOwned)
  const position = first === -1 ? others.length : first
  const after = [...others.slice(0, position), ...now, ...others.slice(position)]
  const isSame = after.length === before.length && after.every(([, it], index) => it === before[index]?.[1])
  if (!isSame) registry.replaceAll(new Map(after))
  return now
}

const NO_SOURCE =
  'server.observe takes an object with onChange(listener), and tools(), resources(), resourceTemplates() or prompts()'
