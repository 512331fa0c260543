import {
  asks,
  type ClientView,
  type Completer,
  type McpServer,
  type RequestContext,
  type Source,
} from '@jetway/core'
import { type Awaitable, chain, memoize, type Relayed } from '@jetway/core/compose'
import type { JsonObject } from '@jetway/core/protocol'
import { derive, type Prompt, type Resource, type Template, type Tool } from './definitions.ts'
import { type Call, Inside } from './inside.ts'
import { relayed } from './relay.ts'
import type { Described, TypedTools } from './types.ts'

/** Everything that a server has, as a source for other servers. */
export interface ServerSource<Locals = unknown, Tools = unknown> extends Source<unknown, Locals>, Described {
  /** Never set. The compiler uses it to check the changes of `change`. */
  readonly '~tools'?: Tools
}

type Ctx = RequestContext<never, never>
type Features = McpServer<never, never>['features']
type Visible = ((ctx: Call) => boolean | Promise<boolean>) | undefined

/** Extensions whose definitions work in any server: tasks and user interfaces. */
const CROSSING: ReadonlySet<string> = new Set(['io.modelcontextprotocol/tasks', 'io.modelcontextprotocol/ui'])

/**
 * Returns the tools, resources, templates and prompts of a server as a source, for `server.observe`. They run with
 * the server's own middleware, `lifespan`, time limits, schemas and `onError`, inside the middleware of the server
 * that observes it. Questions, progress, log messages, cancellation and tasks belong to the client's call.
 *
 * The observing server must not be part of the given one: `server.observe` throws `ERR_MCP_CYCLE`. Extensions do
 * not cross, and are logged. The given server's `lifespan` opens with the first call. Its owner closes it.
 *
 * @param _tools - the definitions of the tools by their names, only for the types of `change`
 */
export function sourceOf<Locals = unknown, App = unknown, const Tools = unknown>(
  server: McpServer<Locals, App>,
  _tools?: Tools & TypedTools,
): ServerSource<Locals, Tools> {
  const { features, runtime } = { features: server['features'], runtime: server.runtime }
  const inside = new Inside(runtime)
  const lost = [...features.added.ids].filter((id) => !CROSSING.has(id))
  if (lost.length > 0)
    runtime.logger.warn(
      { extensions: lost, server: runtime.info.name },
      'The extensions of a composed server are not served by the server that contains it',
    )
  const { tools, resources, prompts } = features
  const { templates } = resources
  const child = { inside, handlerTimeoutMs: runtime.dispatcher.handlerTimeoutMs, watch: watcher(runtime) }
  const toolOf = memoize((entry: ReturnType<typeof tools.registry.entries>[number]) => toTool(entry, child))
  const resourceOf = memoize((entry: ReturnType<typeof resources.registry.entries>[number]) =>
    toResource(entry, child),
  )
  const templateOf = memoize((entry: ReturnType<typeof templates.registry.entries>[number]) =>
    toTemplate(entry, child),
  )
  const promptOf = memoize((entry: ReturnType<typeof prompts.registry.entries>[number]) =>
    toPrompt(entry, child),
  )
  const registries = [tools.registry, resources.registry, templates.registry, prompts.registry]
  return {
    title: runtime.info.title ?? runtime.info.name,
    instructions: (client: ClientView) => runtime.instructions(client),
    // A kind that the server has never offered is not offered by the server that contains it either.
    get tools() {
      return tools.registry.offered ? () => tools.registry.entries().map(toolOf) : undefined
    },
    get resources() {
      return resources.registry.offered ? () => resources.registry.entries().map(resourceOf) : undefined
    },
    get resourceTemplates() {
      return templates.registry.offered ? () => templates.registry.entries().map(templateOf) : undefined
    },
    get prompts() {
      return prompts.registry.offered ? () => prompts.registry.entries().map(promptOf) : undefined
    },
    onChange: (listener: () => void) => {
      const ends = registries.map((registry) => registry.onChange(listener))
      return () => ends.forEach((end) => end())
    },
    onEvent: (listener: Parameters<NonNullable<Source['onEvent']>>[0]) => {
      const heard: typeof listener = (event) => {
        if (event.kind !== 'extension') listener(event)
      }
      runtime.listeners.add(heard)
      return () => runtime.listeners.delete(heard)
    },
    contains: (other: object) => runtime.contains(other),
  } as unknown as ServerSource<Locals, Tools>
}

interface Child {
  readonly inside: Inside
  readonly handlerTimeoutMs: number
  readonly watch: Watch
}

interface Entry {
  readonly definition: object
  readonly timeoutMs: number | undefined
  readonly visible: Visible
}

/** The members that definitions of every kind change. */
const common = ({ timeoutMs, visible }: Entry, { inside, handlerTimeoutMs }: Child) => ({
  timeoutMs: timeoutMs ?? handlerTimeoutMs,
  visible: visible && ((ctx: Ctx) => chain(inside.enter(ctx), visible)),
})

const runner =
  ({ inside }: Child) =>
  (ctx: Ctx, params: JsonObject): Awaitable<Relayed> =>
    chain(inside.run(ctx, params), relayed)

function toTool(entry: ReturnType<Features['tools']['registry']['entries']>[number], child: Child): Tool {
  const run = runner(child)
  const definition = entry.definition as Tool
  const { name, ui, _meta } = definition
  return derive(definition, {
    ...common(entry, child),
    relayed: true,
    inputSchema: entry.input.jsonSchema,
    outputSchema: entry.output?.jsonSchema,
    // A call with questions becomes a task after its answers. Without a task, the server asks inside the call.
    asks: entry.taskSupport && asksOf(entry, child),
    // Servers without the extension publish this form, and servers with it read it.
    ...(ui !== undefined && { ui: undefined, _meta: { ..._meta, ui } }),
    handler: (args: JsonObject, ctx: Ctx) => run(ctx, { name, arguments: args }),
  })
}

type Ask = (args: unknown, view: object) => unknown

/** Returns a tool's asks. They receive the arguments as parsed by the tool's schema, and the server's app. */
function asksOf(
  { definition, input }: ReturnType<Features['tools']['registry']['entries']>[number],
  { inside }: Child,
): Tool['asks'] {
  const { asks: given } = definition as { readonly asks?: object }
  if (given === undefined) return undefined
  // `asks()` keeps its questions in a list, because their order matters.
  const { entries = Object.entries(given) } = given as { readonly entries?: readonly [string, Ask][] }
  const asked =
    (ask: Ask): Ask =>
    async (args, view) => {
      const checked = await input.check(args)
      // The server refuses invalid arguments when the call reaches it.
      return checked.ok ? ask(checked.value, { ...view, app: await inside.open() }) : undefined
    }
  return entries.reduce<ReturnType<typeof asks>>((list, [name, ask]) => list.ask(name, asked(ask)), asks())
}

function toResource(
  entry: ReturnType<Features['resources']['registry']['entries']>[number],
  child: Child,
): Resource {
  const run = runner(child)
  const definition = entry.definition as Resource
  const { uri } = definition
  return derive(definition, {
    ...common(entry, child),
    ...(entry.hooks !== undefined && child.watch),
    handler: (_args: unknown, ctx: Ctx) => run(ctx, { uri }),
  })
}

type TemplateEntry = ReturnType<Features['resources']['templates']['registry']['entries']>[number]

function toTemplate(entry: TemplateEntry, child: Child): Template {
  const run = runner(child)
  const definition = entry.definition as Template
  const { list } = definition
  const ref = { type: 'ref/resource', uri: definition.uriTemplate }
  return derive(definition, {
    ...common(entry, child),
    ...(entry.hooks !== undefined && child.watch),
    list: list && (async (ctx: Ctx) => list.call(definition, (await child.inside.enter(ctx)) as never)),
    complete: completers(entry.complete, ref, child),
    handler: (_variables: never, ctx: Ctx) => run(ctx, { uri: ctx.uri }),
  })
}

function toPrompt(
  entry: ReturnType<Features['prompts']['registry']['entries']>[number],
  child: Child,
): Prompt {
  const run = runner(child)
  const definition = entry.definition as Prompt
  const { name } = definition
  return derive(definition, {
    ...common(entry, child),
    argsSchema: undefined,
    arguments: entry.arguments,
    complete: completers(entry.complete, { type: 'ref/prompt', name }, child),
    handler: (args: JsonObject, ctx: Ctx) => run(ctx, { name, arguments: args }),
  })
}

function completers(
  names: object | undefined,
  ref: JsonObject,
  { inside }: Child,
): Readonly<Record<string, Completer<never, never>>> | undefined {
  if (names === undefined) return undefined
  const completer =
    (name: string): Completer<never, never> =>
    async (value, ctx, { arguments: known }) => {
      const params = { ref, argument: { name, value }, context: { arguments: known } }
      const completed = await inside.run(ctx, params)
      return completed.kind === 'complete' ? (completed.result['completion'] as never) : []
    }
  return Object.fromEntries(Object.keys(names).map((name) => [name, completer(name)]))
}

interface Watch {
  readonly onSubscribe: (uri: string) => void
  readonly onUnsubscribe: (uri: string) => void
}

/** Counts a containing server as one more subscriber, so that hooks run once for all subscribers. */
function watcher(runtime: McpServer['runtime']): Watch {
  // Several servers may observe one source, and each of them may have subscribers.
  const ends = new Map<string, (() => void)[]>()
  return {
    onSubscribe: (uri) => {
      const end = runtime.addSubscriber(uri, undefined)
      if (end !== undefined) ends.set(uri, [...(ends.get(uri) ?? []), end])
    },
    onUnsubscribe: (uri) => {
      const [end, ...others] = ends.get(uri) ?? []
      if (others.length === 0) ends.delete(uri)
      else ends.set(uri, others)
      end?.()
    },
  }
}
