import type { JsonObject } from '../protocol/jsonrpc.ts'
import { Method } from '../protocol/methods.ts'
import type { Revision } from '../protocol/revisions/revision.ts'
import { isLogLevel, LOG_LEVELS, type ServerCapabilities } from '../protocol/types.ts'
import type { ChangeEvent } from '../stores/bus.ts'
import type { MethodEntry, MethodTable } from '../call/method-table.ts'
import { type ExtensionTable, type Extension, NO_EXTENSIONS } from '../call/extension.ts'
import { type Logger, stderrLogger } from '../util/logger.ts'
import { complete } from '../call/result.ts'
import type { SchemaEngine } from '../schema/types.ts'
import { type CacheOptions, Caching } from './registry/caching.ts'
import { completionEntry } from './completion.ts'
import type { addExtensions } from './extensions.ts'
import { createPrompts, type Prompts } from './prompts/prompts.ts'
import type { checkMembers } from './members.ts'
import type { buildTemplate } from './resources/resource-templates.ts'
import { Resources } from './resources/resources.ts'
import type { createSubscriberHooks } from './resources/subscriber-hooks.ts'
import type { SessionRegistry } from './session-registry.ts'
import type { subscriptionMethods } from './subscription-methods.ts'
import type { TaskFeature } from './tasks/task-calls.ts'
import type { compileAsks } from './tools/asks.ts'
import { createTools, type Tools } from './tools/tools.ts'
import type { ToolOptions } from './tools/tool-types.ts'
import type { Lifespan } from '../session/server-mounts.ts'
import type { ClientView } from '../call/request-context.ts'
import { invalidParams } from '../errors.ts'
import { chain } from '../util/promises.ts'

/** Those parts of the features that some presets omit. */
export interface FeatureParts {
  /** Supports tools with `asks`. */
  readonly compileAsks?: typeof compileAsks
  /** Supports resource templates. */
  readonly buildTemplate?: typeof buildTemplate
  /** Supports change notifications. */
  readonly subscriptionMethods?: typeof subscriptionMethods
  /** Calls the hooks for the first and the last subscriber of a resource. */
  readonly createSubscriberHooks?: typeof createSubscriberHooks
  readonly addExtensions?: typeof addExtensions
  /** Finds misspelt fields in definitions. Without this part, only the compiler finds them. */
  readonly checkMembers?: typeof checkMembers
}

interface FeatureOptions extends FeatureParts, ToolOptions {
  readonly instructions?:
    | string
    | ((client: ClientView) => string | undefined | Promise<string | undefined>)
    | undefined
  readonly schemas: SchemaEngine
  /** Called at most once per kind and tick. */
  readonly publish: (event: ChangeEvent) => void
  /** The number of items per page of every list, or undefined if lists are not split into pages. */
  readonly pageSize?: number | undefined
  /** Whether clients may request log messages. @default true */
  readonly logging?: boolean
  readonly experimental?: JsonObject | undefined
  /** Runs calls as tasks. */
  readonly tasks?: TaskFeature | undefined
  readonly extensions?: readonly Extension<never, never>[] | undefined
  readonly cache?: CacheOptions | undefined
  readonly hasMiddleware?: (method: string) => boolean
  /** The lifespan for hooks that run outside calls. */
  readonly lifespan?: Lifespan | undefined
  /** @default warnings and errors go to stderr */
  readonly logger?: Logger
}

/**
 * Everything that can be registered, and the methods that serve it. This class contains no state of
 * individual clients.
 */
export interface Features {
  readonly tools: Tools
  readonly resources: Resources
  readonly prompts: Prompts
  readonly methods: MethodTable
  readonly added: ExtensionTable
  /** Creates empty registries for one session. */
  createSessionRegistry(): SessionRegistry
  /** Returns the capabilities, including the extensions of a revision if one is given. */
  readonly capabilities: (revision?: Revision) => ServerCapabilities
}

const NOTHING_ADDED = { ...NO_EXTENSIONS, topics: [], ui: undefined }

export function createFeatures(options: FeatureOptions): Features {
  const { publish, pageSize, logging = true, logger = stderrLogger, tasks, instructions } = options
  const added = options.addExtensions?.(options.extensions ?? [], { tasks: tasks?.runner }) ?? NOTHING_ADDED
  const caching = new Caching(options.cache, options.hasMiddleware)
  const shared = { ...options, logger, caching }
  const tools = createTools({ ...shared, extensions: added.ids, ui: added.ui })
  const resources = new Resources(shared)
  const prompts = createPrompts(shared)
  tools.registry.onChange(() => publish({ kind: 'tools' }))
  prompts.registry.onChange(() => publish({ kind: 'prompts' }))
  notifyOfResources([resources.registry, resources.templates.registry], () => publish({ kind: 'resources' }))
  resources.registry.onUpdate((uri) => publish({ kind: 'resource', uri }))
  const fixed: ServerCapabilities = {
    ...(logging && { logging: {} }),
    ...(options.experimental !== undefined && { experimental: options.experimental }),
  }
  const subscribable = options.subscriptionMethods !== undefined
  const registeredNow = cachedCapabilities({ tools, resources, prompts }, fixed, subscribable)
  const capabilities = (revision?: Revision): ServerCapabilities => {
    const registered = registeredNow()
    // Not cached, because an extension's settings may be a function.
    const extensions = revision && added.declared(revision)
    return extensions === undefined ? registered : { ...registered, extensions }
  }
  const methods = new Map<string, MethodEntry>([
    [Method.Ping, { handle: () => complete({}) }],
    [Method.Discover, discoverEntry(capabilities, instructions, caching)],
    ...tools.methods,
    ...resources.methods,
    ...prompts.methods,
    [Method.Complete, completionEntry(prompts, resources)],
    ...(tasks?.methods({ offered: tools.offerTasks, pageSize }) ?? []),
    ...(options.subscriptionMethods?.({ capabilities, resources, topics: added.topics }) ?? []),
    ...(logging ? [[Method.SetLogLevel, setLogLevel] as const] : []),
  ])
  return {
    tools,
    resources,
    prompts,
    methods,
    added,
    createSessionRegistry: () => ({ tools: tools.createRegistry(), ...resources.createRegistries() }),
    capabilities,
  }
}

/** Combines the changes to resources and templates in one tick, because one notification covers both. */
export function notifyOfResources(registries: readonly Changing[], notify: () => void): void {
  let notified = false
  for (const registry of registries)
    registry.onChange(() => {
      if (notified) return
      notified = true
      // The other registry reports its change in the same round of microtasks.
      queueMicrotask(() => {
        notified = false
      })
      notify()
    })
}

interface Changing {
  onChange(listener: () => void): unknown
}

const anyCompletes = (entries: readonly { readonly complete: unknown }[]): boolean =>
  entries.some(({ complete: completers }) => completers !== undefined)

/**
 * Caches the capabilities until a registration changes, because they are read for every client that connects.
 */
function cachedCapabilities(
  features: Pick<Features, 'tools' | 'resources' | 'prompts'>,
  fixed: ServerCapabilities,
  subscribable: boolean,
): () => ServerCapabilities {
  const { tools, resources, prompts } = features
  const registries = [tools.registry, resources.registry, resources.templates.registry, prompts.registry]
  let seen: readonly unknown[] = []
  let capabilities: ServerCapabilities = {}
  return () => {
    // Each change to a registry creates a new list of entries. Task support is compared separately, because a
    // tool that supports tasks may belong to a single session.
    const now = [tools.offerTasks(), ...registries.map((registry) => registry.entries())]
    if (now.some((part, index) => part !== seen[index])) {
      seen = now
      capabilities = capabilitiesOf(features, fixed, subscribable)
    }
    return capabilities
  }
}

function capabilitiesOf(
  { tools, resources, prompts }: Pick<Features, 'tools' | 'resources' | 'prompts'>,
  fixed: ServerCapabilities,
  subscribable: boolean,
): ServerCapabilities {
  const completes =
    anyCompletes(prompts.registry.entries()) || anyCompletes(resources.templates.registry.entries())
  const changes = subscribable ? { listChanged: true } : {}
  return {
    ...(tools.registry.offered && { tools: changes }),
    ...(resources.offered && { resources: { ...(subscribable && { subscribe: true }), ...changes } }),
    ...(prompts.registry.offered && { prompts: changes }),
    ...(completes && { completions: {} }),
    ...fixed,
    ...(tools.offerTasks() && { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } }),
  }
}

/**
 * Serves `server/discover`, the counterpart of `initialize` for clients without sessions. See
 * https://modelcontextprotocol.io/specification/2026-07-28/server/discover.
 */
const discoverEntry = (
  capabilities: (revision: Revision) => ServerCapabilities,
  instructions: FeatureOptions['instructions'],
  caching: Caching,
): MethodEntry => ({
  handle: async (_params, ctx) => {
    const text = typeof instructions === 'function' ? await instructions(ctx.client) : instructions
    const result = {
      supportedVersions: (ctx.scope.served ?? [ctx.revision]).map(({ version }) => version),
      capabilities: ctx.revision.project('capabilities', capabilities(ctx.revision)),
      ...(text !== undefined && { instructions: text }),
    }
    const hints = caching.of('discover', typeof instructions === 'function' ? 'perhaps' : 'never')
    return { ...complete(result), hints }
  },
})

/** Serves `logging/setLevel`. Without a session, the request succeeds but has no effect. */
const setLogLevel: MethodEntry = {
  handle: ({ level }, ctx) => {
    if (!isLogLevel(level)) throw invalidParams(`The level must be one of ${LOG_LEVELS.join(', ')}`)
    return chain(
      ctx.scope.session?.update(() => ({ logLevel: level })),
      () => complete({}),
    )
  },
}
