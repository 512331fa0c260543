import type { NoAsksAboveHandler, RequestContext } from '../../call/request-context.ts'
import type { Question } from '../../call/input/question.ts'
import type { AnySchema, InferArguments } from '../../schema/types.ts'
import type { Awaitable } from '../../util/promises.ts'

/** The arguments of a handler, as parsed by the `inputSchema`. */
export type ToolArguments<I extends AnySchema | undefined> = I extends AnySchema
  ? InferArguments<I>
  : Record<string, never>

declare const ASKS: unique symbol

/** The value of an ask, or the answer to its question. */
type AnswerTo<R> = unknown extends R ? NoAsksAboveHandler : R extends Question<infer T> ? T : R

/** `ctx.answers`: one member for each ask. */
export type Answers<A> = [keyof A] extends [never] ? {} : { readonly [K in keyof A]: AnswerTo<A[K]> }

/** The context of an ask. An ask must have no side effects, because it runs in every round. */
export type AskContext<Before = Readonly<Record<string, unknown>>, App = unknown, Locals = unknown> = Pick<
  RequestContext<App, Locals, Before>,
  'answers' | 'app' | 'auth' | 'client' | 'locals' | 'protocolVersion' | 'requestId' | 'session' | 'signal'
>

/** Asks as an object. An ask sees the answers of those above it. */
export type AskMap<I extends AnySchema | undefined, A, App, Locals> = {
  readonly [K in keyof A]: (
    args: ToolArguments<I>,
    ctx: AskContext<Readonly<Record<string, unknown>>, App, Locals>,
  ) => Awaitable<A[K]>
}

/** Asks that are added one by one, each with the answers of earlier ones. Created by `asks(inputSchema)`. */
export interface Asks<I extends AnySchema | undefined, A, App = unknown, Locals = unknown> {
  /** Adds an ask. Its name is the key of its answer and of its question. */
  ask<const K extends string, R>(
    name: K,
    ask: (args: ToolArguments<I>, ctx: AskContext<Answers<A>, App, Locals>) => Awaitable<R>,
  ): Asks<I, A & { readonly [P in K]: R }, App, Locals>
  readonly [ASKS]?: (args: ToolArguments<I>) => A
}

export type ToolAsks<I extends AnySchema | undefined, A, App, Locals> =
  | AskMap<I, A, App, Locals>
  | Asks<NoInfer<I>, A, App, Locals>
