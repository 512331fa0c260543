import { usageError } from '../errors.ts'
import type { Logger } from '../util/logger.ts'
import type { Features } from './features.ts'
import type { Owned, Registry } from './registry/registry.ts'
import type { List, Source } from './source.ts'

/** A source that a server follows. */
export interface Observation extends Disposable {
  /** Resolves when the source has been read for the first time, or has failed to be. Never rejects. */
  readonly ready: Promise<void>
  /** Follows no more and takes back what came from the source. Safe to call again. */
  detach(): void
}

/** An observation as the server holds it. */
export interface Follower extends Observation {
  /** Stops following. The source's entries stay, because no client is left to notify. */
  stop(): void
}

/** One kind of thing that a source may have: reads it, and gives what then puts it in place. */
interface Mirror {
  read(): Promise<() => void> | (() => void)
  clear(): void
}

/** @throws `ERR_MCP_INVALID_DEFINITION` for something that is no source */
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

  /** All kinds are put in place at once, and none where one fails. Synchronous for a source that is. */
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
    // A source that announces each of many changes is read once; while it is being read, once more afterwards.
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
  // Clients learn of capabilities at the start of their session only, so a list that is empty now counts.
  registry.offer()
  let owned: Owned<Definition, Entry> = new Map()
  const refuse = (err: unknown): void =>
    logger.error({ err }, 'A definition of an observed source was left out')
  const place = (definitions: readonly Definition[]): void => {
    owned = registry.exchange(owned, definitions, refuse)
  }
  const placing = (given: Iterable<Definition> | undefined): (() => void) => {
    // Read to the end first: an iterator that fails half way must not leave half a list.
    const definitions = [...(given ?? [])]
    return () => place(definitions)
  }
  return {
    read: () => {
      const given = list()
      return given instanceof Promise ? given.then(placing) : placing(given)
    },
    clear: () => place([]),
  }
}

const NO_SOURCE =
  'server.observe takes an object with onChange(listener), and tools(), resources(), resourceTemplates() or prompts()'
