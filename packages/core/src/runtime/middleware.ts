import type { JsonObject } from '../protocol/jsonrpc.ts'
import type { RequestContext } from './context.ts'

/** Runs around a method. What `next` resolves to is the neutral result; return another one, do not change it in place. */
export type Middleware = (ctx: RequestContext, next: () => Promise<JsonObject>) => Promise<JsonObject>

interface Layer {
  readonly method: string | undefined
  readonly run: Middleware
}

/** The onion around handlers: the first one added is the outermost. */
export class MiddlewareStack {
  readonly #layers: Layer[] = []

  add(method: string | undefined, run: Middleware): void {
    this.#layers.push({ method, run })
  }

  /** The layers around one method, outermost first; undefined when there are none, so that the hot path skips them. */
  around(method: string): readonly Middleware[] | undefined {
    if (this.#layers.length === 0) return undefined
    const layers = this.#layers.filter((layer) => layer.method === undefined || layer.method === method)
    return layers.length === 0 ? undefined : layers.map((layer) => layer.run)
  }
}

export function runLayers(
  layers: readonly Middleware[],
  ctx: RequestContext,
  handle: () => Promise<JsonObject>,
): Promise<JsonObject> {
  const step = (index: number): Promise<JsonObject> => {
    const layer = layers[index]
    return layer === undefined ? handle() : layer(ctx, () => step(index + 1))
  }
  return step(0)
}
