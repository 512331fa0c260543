import type { Logger } from '../../util/logger.ts'
import type { Lifespan } from '../../session/lifespan.ts'
import { invalid, type Subject } from '../registry/checks.ts'

/** The hooks of a resource or template for its first and its last subscriber, as they are kept. */
export interface CompiledHooks {
  readonly onSubscribe: ((uri: string, app: unknown) => unknown) | undefined
  readonly onUnsubscribe: ((uri: string, app: unknown) => unknown) | undefined
}

type Given = { readonly [hook in keyof CompiledHooks]?: unknown }

/** @throws `ERR_MCP_INVALID_DEFINITION` for a hook that is no function */
export function compileHooks(subject: Subject, definition: Given): CompiledHooks | undefined {
  const { onSubscribe, onUnsubscribe } = definition
  if (onSubscribe === undefined && onUnsubscribe === undefined) return undefined
  const bound = (name: keyof CompiledHooks): CompiledHooks['onSubscribe'] => {
    const hook = definition[name]
    if (hook === undefined) return undefined
    if (typeof hook !== 'function') throw invalid(subject, `needs a function of (uri, app) as its ${name}`)
    return (uri, app) => hook.call(definition, uri, app) as unknown
  }
  return { onSubscribe: bound('onSubscribe'), onUnsubscribe: bound('onUnsubscribe') }
}

/** An address that somebody watches, and the hooks that were there when the first one began. */
interface Watched {
  readonly uri: string
  readonly hooks: CompiledHooks
  watchers: number
  /** Set while a hook runs: the next one waits for it, so that none overtakes another. */
  running: Promise<void> | undefined
}

/** Counts who watches which address in this process, over all eras, and tells the author of the first and the last one. */
export class SubscriberHooks {
  readonly #logger: Logger
  readonly #lifespan: Lifespan | undefined
  /** By whose resource it is, so that two sessions with one of their own under the same address share nothing. */
  readonly #watched = new WeakMap<object, Map<string, Watched>>()

  constructor(logger: Logger, lifespan: Lifespan | undefined) {
    this.#logger = logger
    this.#lifespan = lifespan
  }

  /**
   * One watcher more.
   *
   * @param owner - what the address is counted for: the server, or what only one session has
   * @returns what takes the watcher away again; safe to call twice
   */
  add(owner: object, uri: string, hooks: CompiledHooks): () => void {
    const all = this.#watched.get(owner) ?? new Map<string, Watched>()
    this.#watched.set(owner, all)
    const watched = all.get(uri) ?? { uri, hooks, watchers: 0, running: undefined }
    all.set(uri, watched)
    if (watched.watchers++ === 0) this.#run(all, watched, watched.hooks.onSubscribe)
    let there = true
    return () => {
      if (!there) return
      there = false
      if (--watched.watchers === 0) this.#run(all, watched, watched.hooks.onUnsubscribe)
    }
  }

  #run(all: Map<string, Watched>, watched: Watched, hook: CompiledHooks['onSubscribe']): void {
    const { uri } = watched
    const call = async (): Promise<void> => {
      try {
        await this.#lifespan?.ready()
        await hook?.(uri, this.#lifespan?.value())
      } catch (err) {
        this.#logger.error({ err, uri }, 'A hook for the subscribers of a resource failed')
      }
    }
    const running = (watched.running ?? Promise.resolve()).then(call).then(() => {
      if (watched.running !== running) return
      watched.running = undefined
      if (watched.watchers === 0) all.delete(uri)
    })
    watched.running = running
  }
}
