import { usageError } from '../errors.ts'
import type { Logger } from '../util/logger.ts'
import type { Features } from './features.ts'
import type { Registrations, Registry } from './registry/registry.ts'
import type { List, Source } from './define.ts'

/** A handle for an observed source. */
export interface Observation extends Disposable {
  /** Resolves when the source has been read for the first time, even if reading failed. Never rejects. */
  readonly ready: Promise<void>
  /** Stops following the source and removes its definitions. */
  detach(): void
}

interface Follower extends Observation {
  /** Stops following the source. Its definitions remain, because there are no clients left to notify. */
  stop(): void
}

/** One kind of definition. `read` returns a function that adds the definitions to the registry. */
interface Mirror {
  read(): Promise<() => void> | (() => void)
  clear(): void
}

/** @throws `ERR_MCP_INVALID_DEFINITION` for an object that is not a source */
export function observe(source: Source<never, never>, features: Features, logger: Logger): Follower {
  const mirrors = mirrorsOf(source, features, logger)
  let stopped = false
  let reading = false
  let changed = false

  const failed = (err: unknown): void =>
    logger.error({ err }, 'An observed source could not be read; what it last gave stays')

  const put = (placements: readonly (() => void)[]): void => {
    if (!stopped) for (const place of placements) place()
  }

  /**
   * Replaces the definitions of all kinds together, or leaves all of them unchanged if one kind fails. Runs
   * synchronously if the source is synchronous.
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
    await readOnce()
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
  const stop = (): void => {
    if (stopped) return
    stopped = true
    try {
      unsubscribe?.()
    } catch (err) {
      logger.error({ err }, 'An observed source failed to remove its listener')
    }
  }
  const detach = (): void => {
    stop()
    for (const mirror of mirrors) mirror.clear()
  }
  return { ready: follow(), stop, detach, [Symbol.dispose]: detach }
}

function mirrorsOf(source: Source<never, never>, features: Features, logger: Logger): readonly Mirror[] {
  if (typeof source?.onChange !== 'function') throw usageError('ERR_MCP_INVALID_DEFINITION', NO_SOURCE)
  const { tools, resources, prompts } = features
  return [
    mirrorOf(tools.registry, source.tools && (() => source.tools?.()), logger),
    mirrorOf(resources.registry, source.resources && (() => source.resources?.()), logger),
    mirrorOf(
      resources.templates.registry,
      source.resourceTemplates && (() => source.resourceTemplates?.()),
      logger,
    ),
    mirrorOf(prompts.registry, source.prompts && (() => source.prompts?.()), logger),
  ].filter((it) => it !== undefined)
}

function mirrorOf<Definition extends object, Entry extends object>(
  registry: Registry<Definition, Entry>,
  list: (() => List<Definition> | undefined) | undefined,
  logger: Logger,
): Mirror | undefined {
  if (list === undefined) return undefined
  // Clients learn the capabilities when their session starts, so even an empty list counts as offered.
  registry.offer()
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
