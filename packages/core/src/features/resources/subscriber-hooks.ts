import type { Logger } from '../../util/logger.ts'
import type { Lifespan } from '../../session/server-mounts.ts'
import { invalid, type Subject } from '../registry/checks.ts'

interface CompiledHooks {
  readonly onSubscribe: ((uri: string, app: unknown) => unknown) | undefined
  readonly onUnsubscribe: ((uri: string, app: unknown) => unknown) | undefined
}

type Given = { readonly [hook in keyof CompiledHooks]?: unknown }

/** @throws `ERR_MCP_INVALID_DEFINITION` for a hook that is not a function */
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

/** Runs the subscriber hooks. Only presets whose clients can subscribe include this part. */
export const createSubscriberHooks = (options: SubscriberHooksOptions): SubscriberHooks =>
  new SubscriberHooks(options)

/** A URI with subscribers, and the hooks that its resource had when the first client subscribed. */
interface Watched {
  readonly uri: string
  readonly hooks: CompiledHooks
  watchers: number
  /** Set while a hook is running. The next hook waits for it. */
  running: Promise<void> | undefined
}

interface SubscriberHooksOptions {
  readonly logger: Logger
  readonly lifespan?: Lifespan | undefined
}

/**
 * Counts the subscribers of each URI in this process, and runs the hooks for the first and the last
 * subscriber.
 */
export class SubscriberHooks {
  readonly #logger: Logger
  readonly #lifespan: Lifespan | undefined
  /**
   * The subscribed URIs, keyed by owner. Sessions that have their own resources with the same URI are counted
   * separately.
   */
  readonly #watched = new WeakMap<object, Map<string, Watched>>()

  constructor({ logger, lifespan }: SubscriberHooksOptions) {
    this.#logger = logger
    this.#lifespan = lifespan
  }

  /**
   * Adds a subscriber.
   *
   * @param owner - the server, or the entry of one session
   * @returns a function that removes the subscriber
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
