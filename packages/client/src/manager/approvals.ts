import { ErrorCode, type JsonObject, McpError } from '@jetway/core/protocol'
import type {
  ClientHandlers,
  ElicitRequest,
  ElicitUrlRequest,
  QuestionContext,
  SampleRequest,
} from '../features/questions.ts'
import { notApproved } from './errors.ts'
import { orAborted, toError } from '../waiting.ts'

/** Something that is about to happen. What stands in `detail` comes from configurations, models and servers. */
export type Approval = { readonly server: string; readonly signal: AbortSignal } & (
  | {
      /** A process is about to be started: asked with each connecting, reconnecting as well. */
      readonly kind: 'spawn'
      readonly detail: {
        readonly command: string
        readonly args: readonly string[]
        readonly cwd?: string
        /**
         * Names of the variables that its configuration sets: some, such as `NODE_OPTIONS`, have it run another program.
         * What they hold may be secret, and is not told.
         */
        readonly env?: readonly string[]
      }
    }
  | {
      /** A tool is about to be called. */
      readonly kind: 'call'
      readonly detail: { readonly tool: string; readonly args: Readonly<Record<string, unknown>> }
    }
  | {
      /** The server wants to use the host's model. */
      readonly kind: 'sample'
      readonly detail: SampleRequest
    }
  | {
      /** The server wants a person to fill in a form, or to open an address. */
      readonly kind: 'elicit'
      readonly detail: ElicitRequest | ElicitUrlRequest
    }
)

/** Whether it may. Anything but true, and whatever is thrown, is a refusal. */
export type Approve = (approval: Approval) => boolean | Promise<boolean>

export interface ApprovalsOptions {
  readonly server: string
  readonly approve: Approve | undefined
  /** Aborts when the server is closed, and with it every question that is open. */
  readonly life: AbortSignal
  readonly onError: (error: Error) => void
}

/** Asks about one server's doings. */
export class Approvals {
  readonly #options: ApprovalsOptions

  constructor(options: ApprovalsOptions) {
    this.#options = options
  }

  /** @throws ClientError `not-approved`; the signal's reason */
  async need(
    approval: Pick<Approval, 'kind' | 'detail'>,
    what: string,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const refused = await this.#refusal(approval, signal)
    if (refused !== undefined) throw notApproved(what, this.#options.server, refused.cause)
  }

  async #refusal(
    approval: Pick<Approval, 'kind' | 'detail'>,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly cause?: Error } | undefined> {
    const { server, approve, life, onError } = this.#options
    if (approve === undefined) return undefined
    const all = signal === undefined ? life : AbortSignal.any([life, signal])
    all.throwIfAborted()
    const asked = { ...approval, server, signal: all } as Approval
    try {
      // Of a host that is not checked by a compiler anything may come: only true is a yes.
      const answer: unknown = await orAborted(Promise.resolve(approve(asked)), all)
      return answer === true ? undefined : {}
    } catch (error) {
      if (all.aborted) throw all.reason
      const cause = toError(error)
      onError(cause)
      return { cause }
    }
  }

  /**
   * Handlers that ask before the host's own see a question. There is one for each that the host has now, since what it
   * has is declared to the server; the host's own are looked up with every question.
   */
  handlers(current: () => ClientHandlers): ClientHandlers {
    const { elicit, elicitUrl, sample, roots, requests } = current()
    return {
      ...(elicit !== undefined && {
        elicit: async (request: ElicitRequest, ctx: QuestionContext) =>
          (await this.#declines(request, ctx)) ?? current().elicit?.(request, ctx) ?? { action: 'cancel' },
      }),
      ...(elicitUrl !== undefined && {
        elicitUrl: async (request: ElicitUrlRequest, ctx: QuestionContext) =>
          (await this.#declines(request, ctx)) ?? current().elicitUrl?.(request, ctx) ?? { action: 'cancel' },
      }),
      ...(sample !== undefined && {
        sample: async (request: SampleRequest, ctx: QuestionContext) => {
          const refused = await this.#refusal({ kind: 'sample', detail: request }, ctx.signal)
          const handler = current().sample
          if (refused !== undefined || handler === undefined) throw rejected()
          return handler(request, ctx)
        },
      }),
      ...(roots !== undefined && {
        roots: (ctx: QuestionContext) => {
          const now = current().roots ?? []
          return typeof now === 'function' ? now(ctx) : now
        },
      }),
      ...(requests !== undefined && { requests: lookedUp(Object.keys(requests), current) }),
    }
  }

  async #declines(
    request: ElicitRequest | ElicitUrlRequest,
    { signal }: QuestionContext,
  ): Promise<{ readonly action: 'decline' } | undefined> {
    const refused = await this.#refusal({ kind: 'elicit', detail: request }, signal)
    return refused === undefined ? undefined : { action: 'decline' }
  }
}

function lookedUp(
  methods: readonly string[],
  current: () => ClientHandlers,
): NonNullable<ClientHandlers['requests']> {
  const answer = (
    method: string,
    params: JsonObject,
    ctx: QuestionContext,
  ): Promise<JsonObject> | JsonObject => {
    const { requests = {} } = current()
    const handler = Object.hasOwn(requests, method) ? requests[method] : undefined
    if (handler !== undefined) return handler(params, ctx)
    throw new McpError(ErrorCode.MethodNotFound, 'This client does not answer that any more')
  }
  return Object.fromEntries(
    methods.map((method) => [
      method,
      (params: JsonObject, ctx: QuestionContext) => answer(method, params, ctx),
    ]),
  )
}

/** https://modelcontextprotocol.io/specification/2025-11-25/client/sampling#error-handling */
const rejected = (): McpError => new McpError(-1, 'User rejected sampling request')
