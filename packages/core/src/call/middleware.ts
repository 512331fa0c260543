import { isObject, type JsonObject } from '../protocol/jsonrpc.ts'
import type {
  CallToolResult,
  CompleteResult,
  GetPromptResult,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
  Tool,
} from '../protocol/types.ts'
import type { RequestContext } from './request-context.ts'

type List<Member extends string, Item> = { readonly [M in Member]: readonly Item[] } & {
  readonly nextCursor?: string
}

/** The result of each method that middleware can wrap, before it is adapted to the client's revision. */
export interface MethodResults {
  readonly ping: JsonObject
  readonly 'tools/list': List<'tools', Tool>
  readonly 'tools/call': CallToolResult
  readonly 'resources/list': List<'resources', Resource>
  readonly 'resources/templates/list': List<'resourceTemplates', ResourceTemplate>
  readonly 'resources/read': ReadResourceResult
  readonly 'resources/subscribe': JsonObject
  readonly 'resources/unsubscribe': JsonObject
  /** Resolves when the subscription is accepted. A replacement returned by middleware is not sent. */
  readonly 'subscriptions/listen': JsonObject
  readonly 'prompts/list': List<'prompts', Prompt>
  readonly 'prompts/get': GetPromptResult
  readonly 'completion/complete': CompleteResult
  readonly 'logging/setLevel': JsonObject
}

/** The parameters that are validated before the middleware runs. */
interface MethodParams {
  readonly 'tools/call': { readonly name: string; readonly arguments?: JsonObject } & JsonObject
  readonly 'resources/read': { readonly uri: string } & JsonObject
  readonly 'resources/subscribe': { readonly uri: string } & JsonObject
  readonly 'resources/unsubscribe': { readonly uri: string } & JsonObject
  readonly 'prompts/get': { readonly name: string; readonly arguments?: JsonObject } & JsonObject
}

/**
 * The parameters of one method. Methods that {@link MethodParams} does not list have parameters that are not
 * validated.
 */
export type ParamsOf<Method> = Method extends keyof MethodParams
  ? MethodParams[Method]
  : JsonObject | undefined

/** The context of a method with typed parameters. */
export type MethodContext<Method, App = unknown, Locals = unknown> = RequestContext<App, Locals> & {
  readonly message: { readonly params: ParamsOf<Method> }
}

type Family<Method> = Method extends `${infer Name}/${string}` ? Name : Method

/** The name of a method added by an extension. The type excludes misspelt names of the protocol's methods. */
export type AddedMethodName<Name extends string> = Name extends keyof MethodResults
  ? never
  : Name extends `${Family<keyof MethodResults>}/${infer Rest}`
    ? Rest extends `${string}/${string}`
      ? Name
      : never
    : Name

/** Wraps a single method; see {@link Middleware}. */
export type MethodMiddleware<Method extends keyof MethodResults, App = unknown, Locals = unknown> = (
  ctx: MethodContext<Method, App, Locals>,
  next: () => Promise<MethodResults[Method]>,
) => Promise<MethodResults[Method]>

const NAMED_BY: Readonly<Record<keyof MethodParams, 'name' | 'uri'>> = {
  'tools/call': 'name',
  'resources/read': 'uri',
  'resources/subscribe': 'uri',
  'resources/unsubscribe': 'uri',
  'prompts/get': 'name',
}

/**
 * Returns the error in the parameters that middleware reads, or undefined. These parameters are validated
 * before middleware runs, so that middleware can rely on their types, for example on a name being a string.
 */
export function paramsFault(method: string, params: JsonObject): string | undefined {
  if (!Object.hasOwn(NAMED_BY, method)) return undefined
  const key = NAMED_BY[method as keyof MethodParams]
  if (typeof params[key] !== 'string') return `params.${key} must be a string`
  const args = params['arguments']
  return args === undefined || isObject(args) ? undefined : 'params.arguments must be an object'
}

/**
 * Wraps a method. `next` resolves to the result before it is adapted to the revision; return another object
 * instead of changing it.
 */
export type Middleware<Result extends object = object, App = unknown, Locals = unknown> = (
  ctx: RequestContext<App, Locals>,
  next: () => Promise<Result>,
) => Promise<Result>

export type AnyMiddleware = (ctx: RequestContext, next: () => Promise<object>) => Promise<object>

interface Layer {
  readonly method: string | undefined
  readonly run: AnyMiddleware
}

/** The middleware of a server. The first middleware added is the outermost. */
export class MiddlewareStack {
  readonly layers: Layer[] = []

  add(method: string | undefined, run: AnyMiddleware): void {
    this.layers.push({ method, run })
  }

  /** Returns the middleware for one method, outermost first, or undefined if there is none. */
  around(method: string): readonly AnyMiddleware[] | undefined {
    const layers = this.layers.filter((layer) => layer.method === undefined || layer.method === method)
    return layers.length === 0 ? undefined : layers.map((layer) => layer.run)
  }
}

export function runLayers(
  layers: readonly AnyMiddleware[],
  ctx: RequestContext,
  handle: () => Promise<object>,
): Promise<object> {
  const step = (index: number): Promise<object> => {
    const layer = layers[index]
    return layer === undefined ? handle() : layer(ctx, () => step(index + 1))
  }
  // Middleware that is not an async function may return anything.
  return Promise.resolve(step(0))
}
