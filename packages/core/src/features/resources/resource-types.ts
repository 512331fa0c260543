import type { Annotations, Resource } from '../../protocol/types.ts'
import type { RequestContext } from '../../call/request-context.ts'
import type { DisplayFields } from '../registry/checks.ts'
import type { CacheHint } from '../registry/caching.ts'
import type { Completers } from '../completers.ts'
import type { Awaitable } from '../../util/promises.ts'
import type { TemplateVariables } from '../uri-template/uri-template.ts'
import type { VisibleRule } from '../registry/handler.ts'

/**
 * A hook that starts or stops watching a URI for changes. It is called when the first client in this process
 * subscribes to the URI, or when the last subscription ends. Calls for one URI do not overlap. An error is
 * logged, and the subscription remains.
 *
 * @param app - the value that the server's `lifespan` opened
 */
export type SubscriberHook<App = unknown> = (uri: string, app: App) => Awaitable<void>

interface ResourceFields<App, Locals> extends DisplayFields {
  readonly name: string
  readonly mimeType?: string | undefined
  readonly annotations?: Annotations | undefined
  /**
   * How long a read may run without reporting progress before it is ended, in ms.
   *
   * @default the server's `limits.handlerTimeoutMs`
   */
  readonly timeoutMs?: number
  /**
   * The scopes that a caller needs to read the resource, or to subscribe to it. A caller that lacks one of them
   * is refused (with 403 over HTTP), but the resource is still listed. The local user on stdio needs no scopes.
   *
   * @default none
   */
  readonly scopes?: readonly string[]
  readonly onSubscribe?: SubscriberHook<App>
  /** Called when the last subscription has ended: the client unsubscribed, or its session or stream ended. */
  readonly onUnsubscribe?: SubscriberHook<App>
  /**
   * How long clients may cache the contents. Never public if there is a `visible` rule.
   *
   * @default the server's `cache.reads`
   */
  readonly cache?: CacheHint
  /**
   * Whether a caller may see and read the resource. The URI of a hidden resource is not served by templates
   * either.
   * @default everyone may
   */
  readonly visible?: VisibleRule<App, Locals>
}

interface TemplateFields<Template extends string, Variables, App, Locals, R = unknown> extends ResourceFields<
  App,
  Locals
> {
  /** An RFC 6570 URI template. If several templates match a URI, the most specific one is used. */
  readonly uriTemplate: Template
  /** Suggests values for variables. */
  readonly complete?: Completers<keyof TemplateVariables<Template>, App, Locals>
  /** Lists resources that match this template. Called for each `resources/list` request. */
  readonly list?: (ctx: RequestContext<App, Locals>) => Awaitable<readonly Resource[]>
  /** The handler. It may return any value that the handler of a {@link ResourceDefinition} may return. */
  readonly handler: (variables: Variables, ctx: RequestContext<App, Locals>) => Awaitable<R>
}

/**
 * A resource with a fixed URI. Its handler may return any value: a string is sent as text, a `Uint8Array` as a
 * blob, `contents([…])` as several contents, and `{ contents: [...] }` as a result in the protocol's format.
 * `undefined` means that the resource does not exist. Any other value is sent as JSON text.
 */
export interface ResourceDefinition<App = unknown, Locals = unknown, R = unknown> extends ResourceFields<
  App,
  Locals
> {
  /** An absolute URI. Requests must match it exactly. */
  readonly uri: string
  /** The size of the raw content before base64 encoding, in bytes. */
  readonly size?: number | undefined
  readonly handler: (args: Record<string, never>, ctx: RequestContext<App, Locals>) => Awaitable<R>
}

/** Resources whose URIs match a template. `ctx.uri` is the requested URI. */
export type ResourceTemplateDefinition<
  Template extends string = string,
  App = unknown,
  Locals = unknown,
  R = unknown,
> = TemplateFields<Template, TemplateVariables<Template>, App, Locals, R>

/** Any resource definition, for use in lists. */
export type AnyResource<App = never, Locals = never> = ResourceDefinition<App, Locals>

/** Any template definition, for use in lists. */
export type AnyResourceTemplate<App = never, Locals = never> = TemplateFields<string, never, App, Locals>
