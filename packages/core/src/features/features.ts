import type { JsonObject } from '../protocol/jsonrpc.ts'
import { Method } from '../protocol/methods.ts'
import type { Revision } from '../protocol/revisions/revision.ts'
import type { ServerCapabilities } from '../protocol/types.ts'
import type { ChangeEvent } from '../stores/bus.ts'
import type { MethodEntry, MethodTable } from '../call/method-table.ts'
import { type ExtensionTable, type Extension, NO_EXTENSIONS } from '../call/extension.ts'
import { type Logger, stderrLogger } from '../util/logger.ts'
import { complete } from '../call/result.ts'
import type { SchemaEngine } from '../schema/types.ts'
import { type CacheOptions, Caching } from './registry/caching.ts'
import { completionEntry } from './completion.ts'
import { discoverEntry, type DiscoverOptions } from './discover.ts'
import type { addExtensions } from './extensions.ts'
import { setLogLevel } from './logging.ts'
import { createPrompts, type Prompts } from './prompts/prompts.ts'
import type { buildTemplate } from './resources/resource-templates.ts'
import { Resources } from './resources/resources.ts'
import type { SessionRegistry } from './session-registry.ts'
import type { subscriptionMethods } from './subscription-methods.ts'
import type { TaskFeature } from './tasks/task-feature.ts'
import type { compileAsks } from './tools/asks.ts'
import { createTools, type Tools } from './tools/tools.ts'
import type { ToolOptions } from './tools/tool-types.ts'
import type { Lifespan } from '../session/lifespan.ts'

/** The parts of the features that not every preset has. */
export interface FeatureParts {
  /** Without it no tool has `asks`. */
  readonly compileAsks?: typeof compileAsks
  /** Without it there are no resource templates. */
  readonly buildTemplate?: typeof buildTemplate
  /** Without it clients get no notifications of changes. */
  readonly subscriptionMethods?: typeof subscriptionMethods
  readonly addExtensions?: typeof addExtensions
}

export interface FeatureOptions extends FeatureParts, ToolOptions, Pick<DiscoverOptions, 'instructions'> {
  readonly schemas: SchemaEngine
  /** Called at most once per kind and tick. */
  readonly publish: (event: ChangeEvent) => void
  /** Items per page of every list; all of them if undefined. */
  readonly pageSize?: number | undefined
  /** Whether clients may ask for log messages. @default true */
  readonly logging?: boolean
  readonly experimental?: JsonObject | undefined
  /** Without it calls never run as tasks. */
  readonly tasks?: TaskFeature | undefined
  readonly extensions?: readonly Extension<never, never>[] | undefined
  readonly cache?: CacheOptions | undefined
  readonly hasMiddleware?: (method: string) => boolean
  /** For hooks that run outside of calls. */
  readonly lifespan?: Lifespan | undefined
  /** @default warnings and errors go to stderr */
  readonly logger?: Logger
}

/** Everything that can be registered, and the method table that serves it. Holds nothing about any client. */
export interface Features {
  readonly tools: Tools
  readonly resources: Resources
  readonly prompts: Prompts
  readonly methods: MethodTable
  /** What extensions add to it. */
  readonly added: ExtensionTable
  /** Empty registries for one session. */
  createOffers(): SessionRegistry
  /** Derived from what is registered, or once was; with the extensions that a revision has, where one is given. */
  readonly capabilities: (revision?: Revision) => ServerCapabilities
}

const NOTHING_ADDED = { ...NO_EXTENSIONS, topics: [], ui: undefined }

const ping: MethodEntry = { handle: () => complete({}) }

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
  notifyOfResources(resources.registry, resources.templates.registry, () => publish({ kind: 'resources' }))
  const fixed: ServerCapabilities = {
    ...(logging && { logging: {} }),
    ...(options.experimental !== undefined && { experimental: options.experimental }),
  }
  const subscribable = options.subscriptionMethods !== undefined
  const registered = cachedCapabilities({ tools, resources, prompts, subscribable }, fixed)
  const capabilities = (revision?: Revision): ServerCapabilities => {
    const extensions = revision && added.declared(revision)
    return extensions === undefined ? registered() : { ...registered(), extensions }
  }
  const methods = new Map<string, MethodEntry>([
    [Method.Ping, ping],
    [Method.Discover, discoverEntry({ capabilities, instructions, caching })],
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
    createOffers: () => ({ tools: tools.createRegistry(), ...resources.createRegistries() }),
    capabilities,
  }
}

/** One notification covers resources and templates, so several changes of one tick are sent as one. */
export function notifyOfResources(resources: Changing, templates: Changing, tellClients: () => void): void {
  let told = false
  const tell = (): void => {
    if (told) return
    told = true
    // The second registry's own notice comes in the same round of microtasks.
    queueMicrotask(() => {
      told = false
    })
    tellClients()
  }
  resources.onChange(tell)
  templates.onChange(tell)
}

interface Changing {
  onChange(listener: () => void): unknown
}

interface Offers extends Pick<Features, 'tools' | 'resources' | 'prompts'> {
  /** Whether clients can be notified of changes. */
  readonly subscribable: boolean
}

/** Every session asks for them; they change with what is registered. */
function cachedCapabilities(offers: Offers, fixed: ServerCapabilities): () => ServerCapabilities {
  const { tools, resources, prompts } = offers
  const registries = [tools.registry, prompts.registry, resources.registry, resources.templates.registry]
  let capabilities: ServerCapabilities = {}
  let known = -1
  return () => {
    // Versions only grow, so no two states have the same sum.
    const version = registries.reduce((sum, registry) => sum + registry.version, 0)
    if (version !== known) capabilities = capabilitiesOf(offers, fixed)
    known = version
    return capabilities
  }
}

function capabilitiesOf(
  { tools, resources, prompts, subscribable }: Offers,
  fixed: ServerCapabilities,
): ServerCapabilities {
  const completes =
    prompts.registry.entries().some((entry) => entry.complete !== undefined) ||
    resources.templates.registry.entries().some((entry) => entry.complete !== undefined)
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
