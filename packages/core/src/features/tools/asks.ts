import type { CallContext } from '../../call/context.ts'
import { decodeResponse, digestOf, responseTo } from '../../call/input/inputs.ts'
import type { NeedsInput } from '../../call/result.ts'
import { shownContent } from '../../call/input/encode-question.ts'
import { isQuestion, type Question } from '../../call/input/question.ts'
import type { AnySchema, InferArguments } from '../../schema/types.ts'
import { invalid, type Subject } from '../registry/checks.ts'
import type { NoAsksAboveHandler, RequestContext } from '../../call/request-context.ts'
import type { Awaitable } from '../../util/promises.ts'

type AskFunction = (args: unknown, ctx: AskView) => unknown

interface CompiledAsks {
  /**
   * Runs every ask once, in the order in which they are declared. Returns undefined if all answers are known
   * and `ctx.answers` is complete. An ask that reads a missing answer runs again in the next round.
   */
  resolve(args: unknown, ctx: CallContext): Promise<NeedsInput | undefined>
}

class AskList {
  readonly entries: readonly (readonly [string, AskFunction])[]

  constructor(entries: readonly (readonly [string, AskFunction])[]) {
    this.entries = entries
  }

  ask(name: string, ask: AskFunction): AskList {
    return new AskList([...this.entries, [name, ask]])
  }
}

/**
 * Builds a tool's `asks` one by one. Their types do not depend on the order of fields, and each ask can read
 * the answers to earlier asks.
 *
 * @param _inputSchema - the tool's `inputSchema`, used only for the types of the arguments
 */
export const asks = <const I extends AnySchema | undefined = undefined, App = unknown, Locals = unknown>(
  _inputSchema?: I,
): Asks<I, {}, App, Locals> => new AskList([]) as unknown as Asks<I, {}, App, Locals>

/** @throws `ERR_MCP_INVALID_DEFINITION` for a duplicate ask, and for an ask that is not a function */
export function compileAsks(tool: Subject, given: object | undefined): CompiledAsks | undefined {
  if (given === undefined) return undefined
  const list = given instanceof AskList ? given.entries : (Object.entries(given) as AskList['entries'])
  const names = new Set<string>()
  for (const [name, ask] of list) {
    if (typeof ask !== 'function') throw invalid(tool, `needs a function as its ask "${name}"`)
    // A plain object cannot store an answer under this name.
    if (name === '__proto__') throw invalid(tool, 'cannot have an ask "__proto__"')
    if (names.has(name)) throw invalid(tool, `has the ask "${name}" twice`)
    names.add(name)
  }
  return list.length === 0 ? undefined : { resolve: (args, ctx) => resolveAsks(tool, list, args, ctx) }
}

async function resolveAsks(
  tool: Subject,
  list: AskList['entries'],
  args: unknown,
  ctx: CallContext,
): Promise<NeedsInput | undefined> {
  const names = list.map(([name]) => name)
  const answers: Record<string, unknown> = {}
  const questions: Record<string, Question> = {}
  for (const [name, ask] of list) {
    const round = { tool, names, own: name, answers, waits: false }
    let value: unknown
    try {
      value = await ask(args, createView(ctx, round))
    } catch (error) {
      if (!round.waits) throw error
    }
    if (round.waits) continue
    if (!isQuestion(value)) {
      answers[name] = value
      continue
    }
    const response = responseTo(ctx.inputs.answers, name, await digestOf(shownContent(value, name)))
    if (response === undefined) questions[name] = value
    else answers[name] = await decodeResponse(value, name, response)
  }
  if (Object.keys(questions).length > 0) return { kind: 'needs-input', questions }
  ctx.answers = Object.freeze(answers)
  return undefined
}

interface Round {
  readonly tool: Subject
  readonly names: readonly string[]
  readonly own: string
  readonly answers: Readonly<Record<string, unknown>>
  /** Whether the ask has read a missing answer. If so, its value or error is dropped. */
  waits: boolean
}

type AskView = Pick<CallContext, Exclude<keyof AskContext, 'answers'>> & { readonly answers: object }

/** Creates the view of a call's context that an ask can read. An ask cannot change anything through this view. */
function createView(ctx: CallContext, round: Round): AskView {
  const { tool, names, own, answers } = round
  const view = {}
  const earlier = names.indexOf(own)
  for (const [index, name] of names.entries()) {
    const get = (): unknown => {
      if (Object.hasOwn(answers, name)) return answers[name]
      if (index >= earlier) {
        const problem = `has the ask "${own}" that reads the answer "${name}", which comes later: declare it before`
        throw invalid(tool, problem)
      }
      round.waits = true
      throw new NotYet(name)
    }
    Object.defineProperty(view, name, { get, enumerable: true })
  }
  const { app, auth, client, locals, protocolVersion, requestId, session, signal } = ctx
  return { app, auth, client, locals, protocolVersion, requestId, session, signal, answers: view }
}

/** Thrown to stop an ask that reads a missing answer. */
class NotYet extends Error {
  constructor(name: string) {
    super(
      `The answer "${name}" is not there yet. Don't catch this error: the ask runs again when the answer is there`,
    )
    this.name = 'NotYet'
  }
}

/** The arguments of a handler, as parsed by the `inputSchema`. */
export type ToolArguments<I extends AnySchema | undefined> = I extends AnySchema
  ? InferArguments<I>
  : Record<string, never>

declare const ASKS: unique symbol

/** The return value of an ask, or the answer to its question. */
type AnswerTo<R> = unknown extends R ? NoAsksAboveHandler : R extends Question<infer T> ? T : R

/** `ctx.answers`: one member for each ask. */
export type Answers<A> = [keyof A] extends [never] ? {} : { readonly [K in keyof A]: AnswerTo<A[K]> }

/** The context of an ask. An ask must have no side effects, because it runs in every round. */
export type AskContext<Before = Readonly<Record<string, unknown>>, App = unknown, Locals = unknown> = Pick<
  RequestContext<App, Locals, Before>,
  'answers' | 'app' | 'auth' | 'client' | 'locals' | 'protocolVersion' | 'requestId' | 'session' | 'signal'
>

/** Asks declared as an object. Each ask can read the answers to the asks above it. */
export type AskMap<I extends AnySchema | undefined, A, App, Locals> = {
  readonly [K in keyof A]: (
    args: ToolArguments<I>,
    ctx: AskContext<Readonly<Record<string, unknown>>, App, Locals>,
  ) => Awaitable<A[K]>
}

/**
 * The part of {@link Asks} that a definition needs. `Asks` itself is covariant in `App`. If definitions used
 * it, a server with a `lifespan` would not be assignable to `McpServer`.
 */
interface BuiltAsks<I extends AnySchema | undefined, A, App, Locals> {
  readonly [ASKS]: (args: ToolArguments<I>, app: App, locals: Locals) => A
}

/** Asks that are added one by one with `asks(inputSchema)`. Each ask can read the answers to earlier asks. */
export type Asks<I extends AnySchema | undefined, A, App = unknown, Locals = unknown> = {
  /** Adds an ask. Its name is the key of its answer and of its question. */
  ask<const K extends string, R>(
    name: K,
    ask: (args: ToolArguments<I>, ctx: AskContext<Answers<A>, App, Locals>) => Awaitable<R>,
  ): Asks<I, A & { readonly [P in K]: R }, App, Locals>
} & BuiltAsks<I, A, App, Locals>

export type ToolAsks<I extends AnySchema | undefined, A, App, Locals> =
  | AskMap<I, A, App, Locals>
  | BuiltAsks<NoInfer<I>, A, App, Locals>
