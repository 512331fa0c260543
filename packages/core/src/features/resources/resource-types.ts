import type { Annotations, Resource } from '../../protocol/types.ts'
import type { RequestContext } from '../../call/request-context.ts'
import type { DisplayFields } from '../registry/checks.ts'
import type { CacheHint } from '../registry/caching.ts'
import type { Completers } from '../completion-types.ts'
import type { Awaitable } from '../../util/promises.ts'
import type { TemplateVariables } from '../uri-template/template-variables.ts'
import type { VisibleRule } from '../registry/visibility.ts'

/**
 * Called when the first subscriber of an address has come, or the last one has gone, over all clients of this process:
 * to begin and to end the watching of what is behind it. One call for an address waits for the one before it. What it
 * throws is logged, and the subscription stays.
 *
 * @param uri - the address that is subscribed to
 * @param app - what the server's `lifespan` opened
 */
export type SubscriberHook<App = unknown> = (uri: string, app: App) => Awaitable<void>

interface ResourceFields<App> extends DisplayFields {
  readonly name: string
  readonly mimeType?: string
  readonly annotations?: Annotations
  /** Ends a read that shows no sign of life for this long, in ms. @default the server's `limits.handlerTimeoutMs` */
  readonly timeoutMs?: number
  /** Hears of the first subscriber of an address. */
  readonly onSubscribe?: SubscriberHook<App>
  /** Hears that the last one has gone: it unsubscribed, its session closed or its stream ended. */
  readonly onUnsubscribe?: SubscriberHook<App>
  /** How long what is read may be kept. Not public where there is a `visible` rule. @default the server's `cache.reads` */
  readonly cache?: CacheHint
}

/**
 * A resource with a fixed address. Its handler may return anything: a string is text, a `Uint8Array` is a blob,
 * undefined says that there is no such resource, `contents([…])` is several contents, another value is JSON text.
 */
export interface ResourceDefinition<App = unknown, Locals = unknown> extends ResourceFields<App> {
  /** Absolute, and matched exactly as it is written. */
  readonly uri: string
  /** Bytes of the raw content, before base64. */
  readonly size?: number
  /** Whether a caller may know of it. Hidden, its address belongs to no template either. @default everybody may */
  readonly visible?: VisibleRule<App, Locals>
  readonly handler: (args: Record<string, never>, ctx: RequestContext<App, Locals>) => unknown
}

/** Resources whose addresses a URI template describes. `ctx.uri` is the address that is being read. */
export interface ResourceTemplateDefinition<
  Template extends string = string,
  App = unknown,
  Locals = unknown,
> extends ResourceFields<App> {
  /** RFC 6570. Of several that match an address, the most specific answers. */
  readonly uriTemplate: Template
  /** Suggests values for variables. */
  readonly complete?: Completers<keyof TemplateVariables<Template>, App, Locals>
  /** Resources of this template that `resources/list` should show. Asked on every list. */
  readonly list?: (ctx: RequestContext<App, Locals>) => Awaitable<readonly Resource[]>
  /** Whether a caller may know of the template, and read what it describes. @default everybody may */
  readonly visible?: VisibleRule<App, Locals>
  /** Returns what the handler of a {@link ResourceDefinition} may return. */
  readonly handler: (variables: TemplateVariables<Template>, ctx: RequestContext<App, Locals>) => unknown
}

/** Any resource definition, for lists of them. */
export interface AnyResource<App = never, Locals = never> extends ResourceFields<App> {
  readonly uri: string
  readonly size?: number
  readonly visible?: VisibleRule<App, Locals>
  readonly handler: (args: never, ctx: RequestContext<App, Locals>) => unknown
}

/** Any template definition, for lists of them. */
export interface AnyResourceTemplate<App = never, Locals = never> extends ResourceFields<App> {
  readonly uriTemplate: string
  readonly complete?: Completers<string, App, Locals>
  readonly list?: (ctx: RequestContext<App, Locals>) => Awaitable<readonly Resource[]>
  readonly visible?: VisibleRule<App, Locals>
  readonly handler: (variables: never, ctx: RequestContext<App, Locals>) => unknown
}
