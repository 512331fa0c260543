import type { JsonObject } from '../../src/protocol/jsonrpc.ts'
import { revisionOf, REVISIONS } from '../../src/protocol/revisions/index.ts'
import type { Revision, RevisionDate } from '../../src/protocol/revisions/revision.ts'
import { ClientView } from '../../src/call/request-context.ts'
import { CallContext } from '../../src/call/context.ts'
import type { CallScope } from '../../src/call/scope.ts'
import type { MethodEntry } from '../../src/call/method-table.ts'
import type { HandlerResult } from '../../src/call/result.ts'
import { McpError } from '../../src/errors.ts'

export type Methods = Iterable<readonly [string, MethodEntry]>

export interface CallOptions {
  readonly revision?: RevisionDate
  readonly scope?: Partial<CallScope>
}

function revision(date?: RevisionDate): Revision {
  const found = date === undefined ? REVISIONS.find(({ era }) => era === 'legacy') : revisionOf(date)
  if (found === undefined) throw new Error(`No revision ${date}`)
  return found
}

export function contextOf(method: string, params: JsonObject = {}, options: CallOptions = {}): CallContext {
  return new CallContext(
    { jsonrpc: '2.0', id: 1, method, params },
    {
      revision: revision(options.revision),
      client: new ClientView(undefined, {}),
      caller: {},
      exchange: { duplex: false, send: () => {} },
      logLevel: undefined,
      ...options.scope,
    },
  )
}

export function entryOf(methods: Methods, method: string): MethodEntry {
  const entry = new Map(methods).get(method)
  if (entry === undefined) throw new Error(`No method ${method}`)
  return entry
}

/** Calls a method without waiting, to check whether it returns synchronously. */
export function callNow(
  methods: Methods,
  method: string,
  params: JsonObject = {},
  options: CallOptions = {},
): HandlerResult | Promise<HandlerResult> {
  return entryOf(methods, method).handle(params, contextOf(method, params, options))
}

/** The result before it is adapted to a revision. */
export async function call(
  methods: Methods,
  method: string,
  params: JsonObject = {},
  options: CallOptions = {},
): Promise<JsonObject> {
  return resultOf(await callNow(methods, method, params, options))
}

function resultOf(outcome: HandlerResult): JsonObject {
  if (outcome.kind !== 'complete') throw new Error(`The outcome is ${outcome.kind}`)
  return outcome.result
}

/** The result as the revision sends it. */
export async function wire(
  methods: Methods,
  method: string,
  params: JsonObject = {},
  options: CallOptions = {},
): Promise<JsonObject> {
  const outcome = await callNow(methods, method, params, options)
  if (outcome.kind !== 'complete') throw new Error(`The outcome is ${outcome.kind}`)
  return JSON.parse(
    outcome.json ?? revision(options.revision).encodeResult(method, outcome.result),
  ) as JsonObject
}

/** Returns the error of a call, whether the call throws or rejects. */
export async function errorOf(run: () => unknown): Promise<unknown> {
  try {
    await run()
  } catch (error) {
    return error
  }
  throw new Error('It did not fail')
}

export async function mcpErrorOf(run: () => unknown): Promise<McpError> {
  const error = await errorOf(run)
  if (error instanceof McpError) return error
  throw new Error('It failed with something else', { cause: error })
}
