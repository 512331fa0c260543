import { ErrorCode, internalError, isErrorOf, McpError } from '../errors.ts'
import { errorFrame, type RequestId, resultFrame } from '../protocol/jsonrpc.ts'
import type { Revision } from '../protocol/revisions/revision.ts'
import type { Implementation } from '../protocol/types.ts'
import type { SubscriptionRequest } from '../subscriptions/subscription.ts'
import { utf8Length } from '../util/bytes.ts'
import { randomToken } from '../util/random.ts'
import type { CallReport } from './observation/telemetry.ts'
import type { CallContext } from './context.ts'
import type { MethodEntry } from './method-table.ts'
import { type Complete, type HandlerResult, SerializedResult } from './result.ts'

export interface EncodedAnswer {
  readonly frame: string
  /**
   * Returns the frame in UTF-8, with the given ASCII texts before and after it. Defined only if calling it
   * costs less than encoding `frame`.
   */
  bytes?(before?: string, after?: string): Uint8Array<ArrayBuffer>
  /** The size of the frame in UTF-8 bytes. Defined if {@link bytes} is. */
  readonly byteLength?: number
  /** Set for a JSON-RPC error. The revision determines its HTTP status. */
  readonly error?: McpError
  /** Set if a subscription starts. In that case, the response is sent when the subscription ends. */
  readonly subscription?: SubscriptionRequest
}

/** Undefined if the call was cancelled, in which case nothing is sent. */
export type EncodedResponse = EncodedAnswer | undefined

interface EncoderOptions {
  readonly info: Implementation
  /** The maximum size of a result as JSON, in UTF-8 bytes. */
  readonly maxResultBytes: number
  /** Receives every error that the client must not see. Must not throw. */
  readonly onError: (error: unknown, ctx: CallContext, correlationId: string) => void
}

/** Creates responses from the values that handlers return or throw. */
export class ResponseEncoder {
  readonly #options: EncoderOptions
  /** The server's name and version. Some revisions add them to every result. */
  readonly #servers = new Map<Revision, string>()

  constructor(options: EncoderOptions) {
    this.#options = options
  }

  /**
   * Serialises the result before anything is sent, so that the request receives a response even if its result
   * cannot be serialised.
   */
  encode(entry: MethodEntry, ctx: CallContext, result: HandlerResult): EncodedAnswer {
    if (ctx.report !== undefined) noteResult(ctx.report, result)
    try {
      switch (result.kind) {
        case 'complete': {
          const { batch } = ctx.scope.exchange
          // Encoding results that nobody will receive could keep this process busy for seconds.
          if (batch !== undefined && batch.room <= 0)
            return refuse(ctx, new McpError(ErrorCode.InternalError, batch.problem))
          const json = result.json ?? ctx.revision.encodeResult(ctx.message.method, result.result)
          const limit = ctx.target?.maxResultBytes ?? this.#options.maxResultBytes
          if (batch !== undefined) batch.room -= json.length
          // A UTF-16 code unit takes at most three bytes, so most results fit without counting their bytes.
          const size = json.length * 3 <= limit ? 0 : utf8Length(json)
          if (size > limit) {
            const text = `The result has ${size} bytes, more than the ${limit} that maxResultBytes allows; ask for less`
            return this.failWith(entry, ctx, text, ErrorCode.InternalError)
          }
          if (ctx.report !== undefined) ctx.report.failed = result.result['isError'] === true
          if (result instanceof SerializedResult && json.length >= LARGE) return this.#large(ctx, result)
          return this.#answer(ctx, json, result)
        }
        case 'needs-input':
          throw new TypeError('Questions cannot be sent as they are')
        default: {
          const answer = this.#answer(ctx, JSON.stringify(result.result), result)
          if (result.kind !== 'subscription') return answer
          return { ...answer, subscription: { id: ctx.message.id, filters: result.filters } }
        }
      }
    } catch (error) {
      return this.fail(entry, ctx, error)
    }
  }

  /** Never throws. If reading an error's fields throws, the error becomes an internal error. */
  fail(entry: MethodEntry, ctx: CallContext, error: unknown): EncodedAnswer {
    try {
      return this.#knownFailure(entry, ctx, error) ?? this.#internalFailure(entry, ctx, error)
    } catch {
      return this.#internalFailure(entry, ctx, error)
    }
  }

  /** Creates the response for an error that its author intends for the client. */
  #knownFailure(entry: MethodEntry, ctx: CallContext, error: unknown): EncodedAnswer | undefined {
    const known = isErrorOf(McpError, error) ? readError(error) : undefined
    if (known !== undefined) return this.#refuse(ctx, known)
    const failure = ctx.scope.input?.rounds.failure(error, ctx)
    if (failure === undefined) return undefined
    if (failure.text === undefined || entry.failure === undefined) return this.#refuse(ctx, failure.error)
    return this.#failure(ctx, entry.failure(failure.text))
  }

  /**
   * Creates the response for an error thrown by a handler. The error's message and data may have any size.
   */
  #refuse(ctx: CallContext, error: McpError): EncodedAnswer {
    const answer = refuse(ctx, error)
    const limit = this.#options.maxResultBytes
    const size = utf8Length(answer.frame)
    if (size <= limit) return answer
    const text = `The error has ${size} bytes, more than the ${limit} that maxResultBytes allows`
    return refuse(ctx, new McpError(error.code, text, undefined, error.reason))
  }

  #internalFailure(entry: MethodEntry, ctx: CallContext, error: unknown): EncodedAnswer {
    const hidden = this.#hide(entry, ctx, error)
    return 'kind' in hidden ? this.#failure(ctx, hidden) : refuse(ctx, hidden)
  }

  #hide(entry: MethodEntry, ctx: CallContext, error: unknown): HandlerResult | McpError {
    const correlationId = randomToken(12)
    this.#options.onError(error, ctx, correlationId)
    if (ctx.report !== undefined) ctx.report.hidden = { error, reference: correlationId }
    return entry.failure?.(`The tool failed (reference ${correlationId})`) ?? internalError(correlationId)
  }

  /**
   * Hides an error of a composed server's handler.
   *
   * @throws the error if the client may see it, because the outer call creates its response
   */
  conceal(entry: MethodEntry, ctx: CallContext, error: unknown): HandlerResult {
    const isForClient = isErrorOf(McpError, error) || ctx.scope.input?.rounds.isForClient(error) === true
    if (isForClient) throw error
    const hidden = this.#hide(entry, ctx, error)
    if ('kind' in hidden) return hidden
    throw hidden
  }

  /** Creates a response with a message that the client may see. */
  failWith(
    entry: MethodEntry,
    ctx: CallContext,
    text: string,
    code: number = ErrorCode.InvalidRequest,
  ): EncodedAnswer {
    if (entry.failure === undefined) return refuse(ctx, new McpError(code, text))
    return this.#failure(ctx, entry.failure(text))
  }

  /**
   * Creates the response for a failure. There is no size limit, because the message is short and does not
   * come from a handler.
   */
  #failure(ctx: CallContext, failure: HandlerResult): EncodedAnswer {
    if (ctx.report !== undefined) ctx.report.failed = true
    const result = failure.kind === 'complete' ? failure.result : {}
    return this.#answer(ctx, ctx.revision.encodeResult(ctx.message.method, result))
  }

  #answer(ctx: CallContext, json: string, result?: Pick<Complete, 'hints' | 'type'>): EncodedAnswer {
    ctx.finish()
    const { message, revision } = ctx
    if (revision.envelope === undefined) return { frame: resultFrame(message.id, json) }
    const server = this.#server(revision)
    const whole = revision.envelope(message.method, json, server, result?.hints, result?.type)
    return { frame: resultFrame(message.id, whole) }
  }

  #server(revision: Revision): string {
    const known = this.#servers.get(revision)
    if (known !== undefined) return known
    const server = JSON.stringify(revision.project('implementation', this.#options.info))
    this.#servers.set(revision, server)
    return server
  }

  #large(ctx: CallContext, result: SerializedResult): EncodedAnswer {
    ctx.finish()
    const { message, revision } = ctx
    const empty = revision.envelope?.(message.method, '{}', this.#server(revision), result.hints) ?? '{}'
    return largeAnswer(message.id, empty, result)
  }
}

function noteResult(report: CallReport, result: HandlerResult): void {
  if (result.kind === 'complete') report.result = result
  else if (result.kind === 'task') report.outcome = 'task'
  else if (result.kind === 'input-requested') report.outcome = 'input_required'
}

export function refuse(ctx: CallContext, error: McpError): EncodedAnswer {
  ctx.finish()
  return { frame: errorFrame(ctx.message.id, ctx.revision.encodeError(error)), error }
}

/**
 * Returns a copy of the error, because later steps read its fields again. Returns undefined if a field has
 * the wrong type, because JavaScript code can pass any value.
 *
 * @throws any error thrown by a getter or a proxy
 */
function readError({ code, message, data, reason }: McpError): McpError | undefined {
  if (!Number.isInteger(code) || typeof message !== 'string') return undefined
  return new McpError(code, message, data, reason)
}

/**
 * The minimum length, in characters, of a serialised result whose bytes are cached. Building a shorter result
 * as one string costs less than creating two byte arrays.
 */
const LARGE = 8_192
const encoder = new TextEncoder()

/**
 * Creates the response to one of many requests for the same large result, whose bytes are encoded only once.
 * Building each response as a string would copy, measure and encode the result again.
 *
 * @param empty - the JSON of an empty result, in the revision's envelope
 */
export function largeAnswer(
  id: RequestId,
  empty: string,
  result: SerializedResult,
): Required<Pick<EncodedAnswer, 'frame' | 'bytes' | 'byteLength'>> {
  // The text before the members of the result: `{` and the members that the revision adds to every result.
  const head = empty === '{}' ? '{' : `${empty.slice(0, -1)},`
  return {
    get frame() {
      return resultFrame(id, head + result.json.slice(1))
    },
    get byteLength() {
      // Both lengths include the opening brace of the result, so 1 is subtracted.
      return utf8Length(resultFrame(id, head)) - 1 + result.bytes.length
    },
    bytes: (before = '', after = '') => {
      const start = encoder.encode(before + resultFrame(id, head).slice(0, -1))
      const members = result.bytes.subarray(1)
      const whole = new Uint8Array(start.length + members.length + 1 + after.length)
      whole.set(start)
      whole.set(members, start.length)
      encoder.encodeInto(`}${after}`, whole.subarray(start.length + members.length))
      return whole
    },
  }
}
