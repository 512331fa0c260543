import type { JsonObject } from '../protocol/jsonrpc.ts'
import { Method } from '../protocol/methods.ts'
import type { Revision } from '../protocol/revisions/revision.ts'
import type { ServerCapabilities } from '../protocol/types.ts'
import type { ChangeEvent } from '../stores/bus.ts'
import type { MethodEntry, MethodTable } from '../call/method-table.ts'
import { type ExtensionTable, type Extension } from '../call/extension.ts'
import { type Logger, stderrLogger } from '../util/logger.ts'
import { complete } from '../call/result.ts'
import type { SchemaEngine } from '../schema/types.ts'
import { type CacheOptions, Caching } from './registry/caching.ts'
import { completionEntry } from './completion.ts'
import { discoverEntry, type DiscoverOptions } from './discover.ts'
import type { addExtensions } from './extensions.ts'
import { NO_EXTENSIONS } from '../call/extension.ts'
import { setLogLevel } from './logging.ts'
import { createPrompts, type Prompts } from './prompts/prompts.ts'
import type { buildTemplate } from './resources/resource-templates.ts'
import { Resources } from './resources/resources.ts'
import type { SessionRegistry } from './session-registry.ts'
import type { subscriptionMethods } from './subscription-methods.ts'
import type { TaskFeature } from './tasks/task-feature.ts'
import type { compileAsks } from './tools/asks.ts'
import { createTools, type Tools } from './tools/tools.ts'
import type { Opened } from './resources/subscriber-hooks.ts'

export interface FeatureOptions {
  readonly schemas: SchemaEngine
  /** Hears of changes, at most once per kind and tick. */
  readonly publish: (event: ChangeEvent) => void
  /** Items per page of every list; everything at once where undefined. */
  readonly pageSize?: number | undefined
  /** Whether tool results are checked against their `outputSchema`. @default true */
  readonly validateOutput?: boolean | undefined
  /** Whether tools refuse arguments that they do not name. @default false */
  readonly strictInput?: boolean | undefined
  /** Whether clients may ask for log messages. @default true */
  readonly logging?: boolean | undefined
  /** Capabilities of the author's own. */
  readonly experimental?: JsonObject | undefined
  /** Whether `tools/list` goes by priority. @default false */
  readonly orderByPriority?: boolean | undefined
  /** Whether descriptions name related tools. @default false */
  readonly describeRelations?: boolean | undefined
  /** Runs calls as tasks; without it none does. */
  readonly tasks?: TaskFeature | undefined
  /** Without it there are no resource templates. */
  readonly buildTemplate?: typeof buildTemplate | undefined
  /** Without it no tool has `asks`. */
  readonly compileAsks?: typeof compileAsks | undefined
  /** Without it clients are promised no notifications of changes, and cannot subscribe. */
  readonly subscriptions?: typeof subscriptionMethods | undefined
  /** What is offered beyond the protocol. */
  readonly extensions?: readonly Extension<never, never>[] | undefined
  /** Undefined in presets without extensions. */
  readonly addExtensions?: typeof addExtensions | undefined
  /** What the model of a client should know of the server. */
  readonly instructions?: DiscoverOptions['instructions']
  /** How long results may be kept. */
  readonly cache?: CacheOptions | undefined
  /** Whether a middleware wraps a method. */
  readonly layered?: ((method: string) => boolean) | undefined
  /** What the lifespan of the server has opened. */
  readonly opened?: Opened | undefined
  /** @default warnings and errors go to stderr */
  readonly logger?: Logger | undefined
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
  capabilities(revision?: Revision): ServerCapabilities
}

const NOTHING_ADDED = { ...NO_EXTENSIONS, topics: [], ui: undefined }

const ping: MethodEntry = { handle: () => complete({}) }

export function createFeatures(options: FeatureOptions): Features {
  const { schemas, publish, pageSize, logging = true, logger = stderrLogger, tasks } = options
  const added = options.addExtensions?.(options.extensions ?? [], { tasks: tasks?.runner }) ?? NOTHING_ADDED
  const caching = new Caching(options.cache, options.layered)
  const tools = createTools({
    caching,
    extensions: added.ids,
    ui: added.ui,
    schemas,
    pageSize,
    logger,
    validateOutput: options.validateOutput ?? true,
    strictInput: options.strictInput ?? false,
    orderByPriority: options.orderByPriority ?? false,
    describeRelations: options.describeRelations ?? false,
    tasks,
    compileAsks: options.compileAsks,
  })
  const { opened, buildTemplate } = options
  const resources = new Resources({ pageSize, logger, caching, opened, buildTemplate })
  const prompts = createPrompts({ schemas, pageSize, logger, caching })
  tools.registry.onChange(() => publish({ kind: 'tools' }))
  prompts.registry.onChange(() => publish({ kind: 'prompts' }))
  notifyOfResources(resources.registry, resources.templates.registry, () => publish({ kind: 'resources' }))
  const fixed: ServerCapabilities = {
    ...(logging && { logging: {} }),
    ...(options.experimental !== undefined && { experimental: options.experimental }),
  }
  const subscribable = options.subscriptions !== undefined
  const registered = cachedCapabilities({ tools, resources, prompts, subscribable }, fixed)
  const capabilities = (revision?: Revision): ServerCapabilities => {
    const extensions = revision && added.declared(revision)
    return extensions === undefined ? registered() : { ...registered(), extensions }
  }
  const { instructions } = options
  const { topics } = added
  const methods = new Map<string, MethodEntry>([
    [Method.Ping, ping],
    [Method.Discover, discoverEntry({ capabilities, instructions, caching })],
    ...tools.methods,
    ...resources.methods,
    ...prompts.methods,
    [Method.Complete, completionEntry(prompts, resources)],
    ...(tasks?.methods({ offered: tools.offerTasks, pageSize }) ?? []),
    ...(options.subscriptions?.({ capabilities, resources, topics }) ?? []),
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
