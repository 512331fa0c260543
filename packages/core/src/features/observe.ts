import { usageError } from '../errors.ts'
import type { Logger } from '../util/logger.ts'
import type { Features } from './features.ts'
import type { Owned, Registry } from './registry/registry.ts'
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
  let stopped = false
  let reading = false
  let changed = false
  let error: { readonly of: unknown } | undefined

  const failed = (err: unknown): void => {
    error = { of: err }
    logger.error({ err }, 'An observed source could not be read; what it last gave stays')
  }

  const put = (placements: readonly (() => void)[]): void => {
    error = undefined
    if (!stopped) for (const place of placements) place()
  }

  /**
   * Replaces the definitions of all kinds together, or leaves all of them unchanged if one fails. Synchronous
   * if the source is synchronous.
   */
  const readOnce = (): Promise<void> | undefined => {
    try {
      const read = mirrors.map((mirror) => mirror.read())
      if (read.some((it) => it instanceof Promise))
        return Promise.all(read.map((it) => Promise.resolve(it)))
          .then(put)
          .catch(failed)
      put(read as (() => void)[])
    } catch (error) {
      failed(error)
    }
    return undefined
  }

  const follow = async (): Promise<void> => {
    reading = true
    changed = false
    const read = readOnce()
    if (read !== undefined) await read
    reading = false
    if (changed && !stopped) await follow()
  }

  const onChange = (): void => {
    const pending = changed || stopped
    changed = true
    // After many reported changes, a source is read only once. If it reports changes while it is being read, it
    // is read once more.
    if (!pending && !reading) queueMicrotask(() => void (stopped || reading || follow()))
  }

  const unsubscribe = source.onChange(onChange)
  const endEvents = source.onEvent?.(observer.publish)
  const stop = (): void => {
    if (stopped) return
    stopped = true
    try {
      unsubscribe?.()
      endEvents?.()
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
    ready: follow(),
    get state() {
      return reading ? 'reading' : error === undefined ? 'ready' : 'failed'
    },
    get error() {
      return error?.of
    },
    stop,
    detach,
    contains: (runtime) => source.contains?.(runtime) === true,
    [Symbol.dispose]: detach,
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
  let owned: Owned<Definition, Entry> = new Map()
  const refuse = (err: unknown): void =>
    logger.error({ err }, 'A definition of an observed source was left out')
  const replace = (given: Iterable<Definition> | undefined): (() => void) => {
    // The iterator is read to its end first, so that an iterator that fails does not leave an incomplete list.
    const definitions = [...(given ?? [])]
    return () => {
      owned = registry.replaceOwned(owned, definitions, refuse)
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

const NO_SOURCE =
  'server.observe takes an object with onChange(listener), and tools(), resources(), resourceTemplates() or prompts()'
