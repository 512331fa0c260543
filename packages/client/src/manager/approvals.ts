import { ErrorCode, McpError, type JsonObject } from '@jetway/core/protocol'
import type {
  ClientHandlers,
  ElicitRequest,
  ElicitResult,
  ElicitUrlRequest,
  HandlerContext,
  SampleRequest,
} from '../options/handlers.ts'
import { abortable, anySignal, toError } from '../util/promises.ts'
import { notApproved } from './errors.ts'

/**
 * An action that the host approves or refuses. `detail` contains values from configurations, models and
 * servers.
 */
export type ApprovalRequest = { readonly server: string; readonly signal: AbortSignal } &
  /** Starts a program. The host is asked again for each reconnect. */
  (
    | {
        readonly kind: 'spawn'
        readonly detail: {
          readonly command: string
          readonly args: readonly string[]
          readonly cwd?: string
          /**
           * The names of the variables that the configuration sets. Some variables, such as `NODE_OPTIONS`, can
           * run other code. The values are omitted, because they may be secret.
           */
          readonly env?: readonly string[]
        }
      }
    /** Calls a tool. */
    | { readonly kind: 'call'; readonly detail: { readonly tool: string; readonly args: JsonObject } }
    /** Lets the server use the host's model. */
    | { readonly kind: 'sample'; readonly detail: SampleRequest }
    /** Shows a form, or asks the user to open a URL. */
    | { readonly kind: 'elicit'; readonly detail: ElicitRequest | ElicitUrlRequest }
  )

/** Approves or refuses an action. Only `true` approves the action. An exception refuses it. */
export type Approve = (approval: ApprovalRequest) => boolean | Promise<boolean>

type Action = Pick<ApprovalRequest, 'kind' | 'detail'>

export interface ApprovalsOptions {
  readonly server: string
  readonly approve: Approve | undefined
  /** Aborts when the server is closed. */
  readonly life: AbortSignal
  readonly onError: (error: Error) => void
}

export class Approvals {
  readonly #options: ApprovalsOptions

  constructor(options: ApprovalsOptions) {
    this.#options = options
  }

  /** Asks for approval. @throws ClientError `not-approved`, and the signal's reason */
  async require(action: Action, what: string, signal: AbortSignal | undefined): Promise<void> {
    const refused = await this.#refusal(action, signal)
    if (refused !== undefined) throw notApproved(what, this.#options.server, refused.cause)
  }

  async #refusal(action: Action, signal?: AbortSignal): Promise<{ readonly cause?: Error } | undefined> {
    const { server, approve, life, onError } = this.#options
    if (approve === undefined) return undefined
    const all = anySignal(life, signal)
    all.throwIfAborted()
    try {
      const request = { ...action, server, signal: all } as ApprovalRequest
      // Hosts written in JavaScript may return any value.
      const approved: unknown = await abortable(Promise.resolve(approve(request)), all)
      return approved === true ? undefined : {}
    } catch (error) {
      if (all.aborted) throw all.reason
      const cause = toError(error)
      onError(cause)
      return { cause }
    }
  }

  /**
   * Returns handlers that ask for approval first. The host's current handlers determine which capabilities
   * are declared. Each request looks up its handler again, so that `setHandlers` takes effect immediately.
   */
  handlers(current: () => ClientHandlers): ClientHandlers {
    const { elicit, elicitUrl, sample, roots, requests = {} } = current()
    const custom = Object.keys(requests).map((method) => {
      const handler: NonNullable<ClientHandlers['requests']>[string] = (params, ctx) => {
        const { requests: now = {} } = current()
        const found = Object.hasOwn(now, method) ? now[method] : undefined
        if (found === undefined)
          throw new McpError(ErrorCode.MethodNotFound, 'This client no longer handles that method')
        return found(params, ctx)
      }
      return [method, handler] as const
    })
    return {
      ...(elicit !== undefined && {
        elicit: (request: ElicitRequest, ctx: HandlerContext) =>
          this.#elicit(request, ctx, () => current().elicit?.(request, ctx)),
      }),
      ...(elicitUrl !== undefined && {
        elicitUrl: (request: ElicitUrlRequest, ctx: HandlerContext) =>
          this.#elicit(request, ctx, () => current().elicitUrl?.(request, ctx)),
      }),
      ...(sample !== undefined && {
        sample: async (request: SampleRequest, ctx: HandlerContext) => {
          const refused = await this.#refusal({ kind: 'sample', detail: request }, ctx.signal)
          const handler = current().sample
          // https://modelcontextprotocol.io/specification/2025-11-25/client/sampling#error-handling
          if (refused !== undefined || handler === undefined)
            throw new McpError(-1, 'User rejected sampling request')
          return handler(request, ctx)
        },
      }),
      ...(roots !== undefined && {
        roots: (ctx: HandlerContext) => {
          const now = current().roots ?? []
          return typeof now === 'function' ? now(ctx) : now
        },
      }),
      requests: Object.fromEntries(custom),
    }
  }

  async #elicit<Result>(
    request: ElicitRequest | ElicitUrlRequest,
    { signal }: HandlerContext,
    answer: () => Result | Promise<Result> | undefined,
  ): Promise<Result | ElicitResult> {
    const refused = await this.#refusal({ kind: 'elicit', detail: request }, signal)
    if (refused !== undefined) return { action: 'decline' }
    return (await answer()) ?? { action: 'cancel' }
  }
}
