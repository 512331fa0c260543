import { invalidParams, invalidRequest, resourceNotFound } from '../errors.ts'
import { Method } from '../protocol/methods.ts'
import type { ServerCapabilities } from '../protocol/types.ts'
import type { CallContext } from '../call/context.ts'
import type { CallSession } from '../call/scope.ts'
import type { MethodEntry } from '../call/method-table.ts'
import { complete, type HandlerResult } from '../call/result.ts'
import { changeTopics, listenEntry, type ListenTopic } from './listen-method.ts'
import type { Resources } from './resources/resources.ts'
import { type Awaitable, chain } from '../util/promises.ts'
import { ifVisible } from './registry/handler.ts'

/** The maximum number of subscriptions per session. */
const MAX_SUBSCRIPTIONS = 1024

interface Subscribable {
  readonly capabilities: () => ServerCapabilities
  readonly resources: Resources
  /** The members that extensions add to `subscriptions/listen`. */
  readonly topics: readonly ListenTopic[]
}

/** The methods with which clients of both eras request notifications. */
export const subscriptionMethods = ({
  capabilities,
  resources,
  topics,
}: Subscribable): readonly (readonly [string, MethodEntry])[] => [
  [
    Method.Subscribe,
    {
      handle: (params, ctx) => {
        const uri = resources.uriOf(params)
        const unknown = (): Error => resourceNotFound(uri)
        const entry = resources.entryAt(uri, ctx)
        if (entry === undefined) throw unknown()
        return ifVisible(entry, ctx, unknown, () => subscribe(uri, ctx))
      },
      target: (params, own) => resources.target(params, own),
    },
  ],
  // Does not check the resource, which may have been removed while its subscription has not.
  [Method.Unsubscribe, { handle: (params, ctx) => unsubscribe(resources.uriOf(params), ctx) }],
  listenEntry([...changeTopics(capabilities, resources), ...topics]),
]

function subscribe(uri: string, ctx: CallContext): Awaitable<HandlerResult> {
  const session = sessionOf(ctx)
  const { subscriptions } = session.record
  if (subscriptions.length >= MAX_SUBSCRIPTIONS && !subscriptions.includes(uri))
    throw invalidParams(`A session has at most ${MAX_SUBSCRIPTIONS} subscriptions; end some of them first`)
  const saved = session.update((record) => ({ subscriptions: [...without(record.subscriptions, uri), uri] }))
  return chain(saved, () => complete({}))
}

function unsubscribe(uri: string, ctx: CallContext): Awaitable<HandlerResult> {
  // Not skipped for a URI that is unknown here, because the subscription may just have been made through
  // another process.
  const saved = sessionOf(ctx).update((record) => ({ subscriptions: without(record.subscriptions, uri) }))
  return chain(saved, () => complete({}))
}

const without = (uris: readonly string[], uri: string): readonly string[] =>
  uris.filter((other) => other !== uri)

function sessionOf({ scope }: CallContext): CallSession {
  if (scope.session === undefined)
    throw invalidRequest('Subscriptions need a session, and this connection has none')
  return scope.session
}
