import type { JsonObject } from '../protocol/jsonrpc.ts'
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
import type { RequestContext } from './context.ts'

type List<Member extends string, Item> = { readonly [M in Member]: readonly Item[] } & {
  readonly nextCursor?: string
}

/** What each method that a middleware can stand around results in, before it is brought to the client's revision. */
export interface MethodResults {
  readonly ping: JsonObject
  readonly 'tools/list': List<'tools', Tool>
  readonly 'tools/call': CallToolResult
  readonly 'resources/list': List<'resources', Resource>
  readonly 'resources/templates/list': List<'resourceTemplates', ResourceTemplate>
  readonly 'resources/read': ReadResourceResult
  readonly 'resources/subscribe': JsonObject
  readonly 'resources/unsubscribe': JsonObject
  readonly 'prompts/list': List<'prompts', Prompt>
  readonly 'prompts/get': GetPromptResult
  readonly 'completion/complete': CompleteResult
  readonly 'logging/setLevel': JsonObject
}

/** Runs around a method. What `next` resolves to is the neutral result; return another one, do not change it in place. */
export type Middleware<Result extends object = object, App = unknown, Mount = unknown> = (
  ctx: RequestContext<App, Mount>,
  next: () => Promise<Result>,
) => Promise<Result>

/** A middleware as it is kept, without its types. */
export type AnyMiddleware = (ctx: RequestContext, next: () => Promise<object>) => Promise<object>

interface Layer {
  readonly method: string | undefined
  readonly run: AnyMiddleware
}

/** The onion around handlers: the first one added is the outermost. */
export class MiddlewareStack {
  readonly #layers: Layer[] = []

  add(method: string | undefined, run: AnyMiddleware): void {
    this.#layers.push({ method, run })
  }

  /** The layers around one method, outermost first; undefined when there are none, so that the hot path skips them. */
  around(method: string): readonly AnyMiddleware[] | undefined {
    if (this.#layers.length === 0) return undefined
    const layers = this.#layers.filter((layer) => layer.method === undefined || layer.method === method)
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
  // A layer that is no async function may return anything.
  return Promise.resolve(step(0))
}
