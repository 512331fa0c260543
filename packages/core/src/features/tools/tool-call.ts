import { ErrorCode, isErrorOf, McpError, ToolError } from '../../errors.ts'
import type { JsonObject } from '../../protocol/jsonrpc.ts'
import { STRUCTURED_JSON } from '../../protocol/revisions/base.ts'
import type { ContentBlock, TextContent, Tool } from '../../protocol/types.ts'
import type { CallContext } from '../../call/context.ts'
import { complete, type HandlerResult, type TaskStarted } from '../../call/result.ts'
import { isQuestion } from '../../call/input/question.ts'
import type { HeaderParameter } from '../../schema/uses/header-parameters.ts'
import { describeIssues } from '../../schema/issues.ts'
import type { CheckedInput, CompiledInput, CompiledOutput } from '../../schema/types.ts'
import type { compileAsks } from './asks.ts'
import { brandOf, isListOf, type Relayed } from '../registry/brand.ts'
import { type InputRequired, toNeedsInput } from './input-required.ts'
import {
  OutputError,
  protocolToolResult,
  refuseBareBlocks,
  refuseLosses,
  stringify,
  tryStringify,
} from '../content/protocol-results.ts'
import type { checkRelated } from './tool-metadata.ts'
import type { Content, ToolResult } from '../content/content.ts'
import { type Awaitable, isPromiseLike } from '../../util/promises.ts'
import type { wrapOutput } from './wrap-output.ts'
import type { CompiledHandler } from '../registry/handler.ts'

/** A validated tool with compiled schemas. */
export interface ToolEntry extends CompiledHandler {
  readonly item: Tool
  /** The tool without its `relatedTools`. */
  readonly alone: Tool
  readonly related: ReturnType<typeof checkRelated>
  /** The tool's name in error messages. */
  readonly label: string
  readonly priority: number
  readonly alias: string | undefined
  /** Whether clients without user interfaces receive a different form of the tool. */
  readonly hasUi: boolean
  readonly input: CompiledInput
  /** The parameters that clients repeat in headers; undefined if there are none. */
  readonly inHeaders: readonly HeaderParameter[] | undefined
  readonly output: CompiledOutput | undefined
  /** Describes how structured values are wrapped; undefined if they are sent unchanged, or not at all. */
  readonly wrapped: ReturnType<typeof wrapOutput>
  readonly validateOutput: boolean
  readonly maxResultBytes: number | undefined
  /** Undefined if the tool never runs as a task. */
  readonly taskSupport: 'optional' | 'required' | undefined
  readonly immediateResponse: string | undefined
  /** Undefined if the tool has no `asks`. */
  readonly asks: ReturnType<typeof compileAsks>
}

/** Options for calls that may become tasks. */
export interface ToolTasksOptions {
  /** The ids of the server's extensions. */
  readonly extensions: ReadonlySet<string>
  readonly find: (name: unknown, ctx: CallContext) => ToolEntry | undefined
  readonly unknown: (name: string) => Error
}

/** Decides which tool calls are tasks. */
export interface ToolTasks {
  /** Starts a call that is a task from the beginning. Returns undefined for any other call. */
  begin(params: JsonObject, ctx: CallContext): Promise<TaskStarted> | undefined
  /**
   * Rejects a call that must be a task if its client does not support tasks.
   *
   * @throws McpError `-32021`
   */
  demand(entry: ToolEntry, ctx: CallContext): void
  /**
   * Starts a task instead of the call. Returns undefined if the call itself should run. In revisions without
   * tasks, a tool that requires a task runs like any other tool, because clients could not call it otherwise.
   *
   * @throws McpError if the call must be a task but the client did not request one
   * @see https://modelcontextprotocol.io/specification/2025-11-25/server/tools#execution
   * @see https://modelcontextprotocol.io/seps/2663-tasks-extension
   */
  instead(entry: ToolEntry, args: JsonObject, ctx: CallContext): Awaitable<HandlerResult> | undefined
}

type Run = (entry: ToolEntry, args: unknown, ctx: CallContext) => Awaitable<HandlerResult>

/**
 * Calls a tool. Returns a promise only if its schema or its handler is asynchronous.
 *
 * @param run - called exactly once, with the validated arguments, after all questions have been answered
 */
export function callTool(
  entry: ToolEntry,
  args: JsonObject,
  ctx: CallContext,
  run: Run = handle,
): Awaitable<HandlerResult> {
  try {
    const checked = entry.input.check(args)
    if (checked instanceof Promise) return checked.then((it) => runTool(entry, it, ctx, run)).catch(toFailure)
    if (checked.ok && entry.asks === undefined) return run(entry, checked.value, ctx)
    return runTool(entry, checked, ctx, run)
  } catch (error) {
    return toFailure(error)
  }
}

export const toolFailure = (text: string): HandlerResult =>
  complete({ content: [{ type: 'text', text }], isError: true })

function runTool(
  entry: ToolEntry,
  checked: CheckedInput,
  ctx: CallContext,
  run: Run,
): Awaitable<HandlerResult> {
  if (!checked.ok)
    return toolFailure(
      `Invalid arguments for the tool ${entry.item.name}:\n${describeIssues(checked.issues)}`,
    )
  const { value } = checked
  if (entry.asks === undefined) return run(entry, value, ctx)
  return entry.asks
    .resolve(value, ctx)
    .then((questions) => questions ?? run(entry, value, ctx))
    .catch(toFailure)
}

function handle(entry: ToolEntry, args: unknown, ctx: CallContext): Awaitable<HandlerResult> {
  const returned = entry.handler.call(entry.definition, args, ctx)
  if (!isPromiseLike(returned)) return toHandlerResult(entry, returned, ctx)
  return Promise.resolve(returned).then((value) => toHandlerResult(entry, value, ctx), toFailure)
}

function toFailure(error: unknown): HandlerResult {
  if (isErrorOf(ToolError, error)) return toolFailure(error.message)
  throw error
}

function toHandlerResult(entry: ToolEntry, value: unknown, ctx: CallContext): HandlerResult {
  const { batch } = ctx.scope.exchange
  // Validating results that nobody will receive could keep this process busy for seconds.
  if (batch !== undefined && batch.room <= 0) throw new McpError(ErrorCode.InternalError, batch.problem)
  const brand = brandOf(value)
  if (brand === 'result') return fromResult(entry, value as ToolResult)
  if (brand === 'input-required') return toNeedsInput(value as InputRequired)
  if (brand === 'relayed') return (value as Relayed).result
  const literal = protocolToolResult(value, entry.label, entry.output)
  if (literal !== undefined) {
    const { content, structuredContent: structured, isError = false, _meta } = literal
    return fromResult(entry, { content, structured, isError, _meta })
  }
  if (entry.output !== undefined) return structuredResult(entry, value, undefined)
  if (typeof value === 'string') return textResult(value)
  if (value === undefined) return complete({ content: [] })
  if (brand === 'content') return complete({ content: metaChecked(entry, [value as Content]) })
  if (isListOf(value, 'content'))
    return complete({ content: metaChecked(entry, value as readonly Content[]) })
  if (brand !== undefined || (Array.isArray(value) && value.some((item) => brandOf(item) !== undefined))) {
    throw returned(entry, 'content blocks mixed with other values; return blocks only, or result({ … })')
  }
  if (isQuestion(value)) {
    throw returned(entry, 'a question; declare it in asks, or return inputRequired({ key: question })')
  }
  if (typeof value === 'object' && value !== null) refuseBareBlocks(value, entry.label)
  return textResult(stringify(value, entry.label))
}

const returned = ({ label }: ToolEntry, what: string): Error => new OutputError(`${label} returned ${what}`)

const textResult = (text: string): HandlerResult => complete({ content: [{ type: 'text', text }] })

/** Checks those members of blocks that may contain any value. Blocks without such members are not searched. */
function metaChecked<Blocks extends readonly ContentBlock[]>({ label }: ToolEntry, content: Blocks): Blocks {
  const isOpen = ({ _meta, annotations }: ContentBlock): boolean => (_meta ?? annotations) !== undefined
  if (content.some(isOpen)) refuseLosses({ content }, label)
  return content
}

type ResultParts = Pick<ToolResult, 'structured' | 'isError' | '_meta'> & {
  readonly content: readonly ContentBlock[] | undefined
}

function fromResult(entry: ToolEntry, value: ResultParts): HandlerResult {
  if (value.content !== undefined) metaChecked(entry, value.content)
  if (value._meta !== undefined) refuseLosses({ _meta: value._meta }, entry.label)
  const expected = entry.output !== undefined && !value.isError
  if (expected || value.structured !== undefined) return structuredResult(entry, value.structured, value)
  const { content = [], isError, _meta } = value
  return complete({ content, ...(isError && { isError }), ...(_meta !== undefined && { _meta }) })
}

/**
 * Serialises the value once. The JSON is used for validation, for the text that older clients read, and for
 * the structured value itself.
 */
function structuredResult(entry: ToolEntry, given: unknown, parts: ResultParts | undefined): HandlerResult {
  const { output } = entry
  let value = given
  let json = tryStringify(given, entry.label)
  if (json === undefined) throw returned(entry, 'no structured value; return what its outputSchema describes')
  if (output !== undefined && entry.validateOutput && parts?.isError !== true) {
    const checked = output.check(given, json)
    if (!checked.ok) {
      throw returned(entry, `what its outputSchema does not allow:\n${describeIssues(checked.issues)}`)
    }
    if (checked.json !== json) {
      json = checked.json
      value = JSON.parse(json)
    }
  } else refuseLosses(given, entry.label)
  const mirror: TextContent = { type: 'text', text: json }
  const content = parts?.content === undefined ? [mirror] : withMirror(parts.content, mirror)
  const member = parts?.isError === true ? undefined : entry.wrapped?.member
  const structured = { content, structuredContent: value, [STRUCTURED_JSON]: { value, json, member } }
  if (parts === undefined) return { kind: 'complete', result: structured }
  const { isError, _meta } = parts
  return complete({ ...structured, ...(isError && { isError }), ...(_meta !== undefined && { _meta }) })
}

/** Adds the JSON text of a non-object value, because older clients read the value from the text. */
function withMirror(given: readonly ContentBlock[], mirror: TextContent): readonly ContentBlock[] {
  const { text } = mirror
  const there = text.startsWith('{') || given.some((block) => block.type === 'text' && block.text === text)
  return there ? given : [...given, mirror]
}
