import { invalidParams, invalidRequest, resourceNotFound } from '../errors.ts'
import type { JsonObject } from '../protocol/jsonrpc.ts'
import { Method } from '../protocol/methods.ts'
import type { CallContext, CallSession } from '../call/context.ts'
import type { MethodEntry } from '../call/method-table.ts'
import { complete, type HandlerResult } from '../call/result.ts'
import type { Resources } from './resources/resources.ts'
import { ifVisible } from './registry/visibility.ts'

/** Per session. */
const MAX_SUBSCRIPTIONS = 1024

/** Serves `resources/subscribe` and `resources/unsubscribe`. What they note is the session's own. */
export function subscribeMethods(resources: Resources): readonly (readonly [string, MethodEntry])[] {
  return [
    [Method.Subscribe, { handle: (params, ctx) => subscribe(resources, params, ctx) }],
    [Method.Unsubscribe, { handle: (params, ctx) => unsubscribe(resources, params, ctx) }],
  ]
}

function subscribe(
  resources: Resources,
  params: JsonObject,
  ctx: CallContext,
): HandlerResult | Promise<HandlerResult> {
  const uri = resources.uriOf(params)
  const unknown = (): Error => resourceNotFound(uri)
  const entry = resources.entryAt(uri, ctx)
  if (entry === undefined) throw unknown()
  return ifVisible(entry, ctx, unknown, () => note(uri, ctx))
}

function note(uri: string, ctx: CallContext): HandlerResult {
  const session = sessionOf(ctx)
  const { subscriptions } = session.record
  if (subscriptions.includes(uri)) return complete({})
  if (subscriptions.length >= MAX_SUBSCRIPTIONS) {
    throw invalidParams(`A session has at most ${MAX_SUBSCRIPTIONS} subscriptions; end some of them first`)
  }
  session.update({ subscriptions: [...subscriptions, uri] })
  return complete({})
}

/** Also for a resource that is gone by now: its subscription is not. */
function unsubscribe(resources: Resources, params: JsonObject, ctx: CallContext): HandlerResult {
  const uri = resources.uriOf(params)
  const session = sessionOf(ctx)
  const { subscriptions } = session.record
  if (subscriptions.includes(uri))
    session.update({ subscriptions: subscriptions.filter((other) => other !== uri) })
  return complete({})
}

function sessionOf(ctx: CallContext): CallSession {
  const { session } = ctx.scope
  if (session === undefined)
    throw invalidRequest('Subscriptions need a session, and this connection has none')
  return session
}
