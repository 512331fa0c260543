import { ErrorCode, invalidParams, invalidRequest, McpError, resourceNotFound } from '../errors.ts'
import { Method, Notification, SUBSCRIPTION_ID } from '../protocol/methods.ts'
import type { ServerCapabilities } from '../protocol/types.ts'
import type { CallContext } from '../call/context.ts'
import { type CallSession, lacking } from '../call/scope.ts'
import type { MethodEntry } from '../call/method-table.ts'
import { complete, type HandlerResult } from '../call/result.ts'
import type { Resources } from './resources/resources.ts'
import { type Awaitable, chain } from '../util/promises.ts'
import { ifVisible, visibleAmong } from './registry/handler.ts'
import { isObject, type JsonObject } from '../protocol/jsonrpc.ts'
import type { Notify, SubscriptionFilter } from '../subscriptions/subscription.ts'
import { MAX_URI_LENGTH } from './registry/checks.ts'

/** The maximum number of subscriptions per session, and of entries in one member of a filter. */
const MAX_ENTRIES = 1024
/**
 * The maximum combined length of the URIs of a session, or of the entries in one member of a filter, in
 * characters. A session's record contains its URIs, and each change writes the whole record to the store.
 */
const MAX_TOGETHER = 65_536
const LIMITS = `${MAX_ENTRIES} entries or ${MAX_TOGETHER} characters together`

const fits = (texts: readonly string[]): boolean =>
  texts.length <= MAX_ENTRIES && texts.join('').length <= MAX_TOGETHER

interface Subscribable {
  readonly capabilities: () => ServerCapabilities
  readonly resources: Resources
  /** The fields that extensions add to the filter of `subscriptions/listen`. */
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
  // The resource is not looked up, because it may have been removed while the client was subscribed.
  [Method.Unsubscribe, { handle: (params, ctx) => unsubscribe(resources.uriOf(params), ctx) }],
  listenEntry([...changeTopics(capabilities, resources), ...topics]),
]

function subscribe(uri: string, ctx: CallContext): Awaitable<HandlerResult> {
  const session = sessionOf(ctx)
  const added = (to: readonly string[]): readonly string[] => [...without(to, uri), uri]
  if (!fits(added(session.record.subscriptions)))
    throw invalidParams(`The subscriptions of a session have at most ${LIMITS}; end some of them first`)
  const saved = session.update(({ subscriptions }) => ({ subscriptions: added(subscriptions) }))
  return chain(saved, () => complete({}))
}

function unsubscribe(uri: string, ctx: CallContext): Awaitable<HandlerResult> {
  // An unknown subscription is processed like any other, because another process may have just stored it.
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

/** A member of the filter that clients send. */
export interface ListenTopic {
  readonly member: string
  /**
   * Returns the accepted part of the member, if any.
   *
   * @throws McpError `-32602` for a malformed member
   */
  agree(
    requested: unknown,
    ctx: CallContext,
  ): SubscriptionFilter | undefined | Promise<SubscriptionFilter | undefined>
}

/**
 * Serves `subscriptions/listen`. The transport sends the notifications.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
 */
function listenEntry(topics: readonly ListenTopic[]): readonly [string, MethodEntry] {
  return [Method.Listen, { handle: (params, ctx) => listen(topics, params, ctx) }]
}

async function listen(
  topics: readonly ListenTopic[],
  { notifications }: JsonObject,
  ctx: CallContext,
): Promise<HandlerResult> {
  if (ctx.scope.exchange.subscribable !== true) throw new McpError(ErrorCode.MethodNotFound, NO_STREAM)
  if (!isObject(notifications)) throw invalidParams('The member "notifications" must be an object')
  const filters: SubscriptionFilter[] = []
  for (const topic of topics) {
    const requested = notifications[topic.member]
    const interest = requested === undefined ? undefined : await topic.agree(requested, ctx)
    if (interest !== undefined) filters.push(interest)
  }
  return { kind: 'subscription', filters, result: { _meta: { [SUBSCRIPTION_ID]: ctx.message.id } } }
}

const NO_STREAM = 'Subscriptions need a persistent connection: use HTTP, stdio or an in-memory transport'

function changeTopics(capabilities: () => ServerCapabilities, resources: Resources): readonly ListenTopic[] {
  const list = (kind: 'tools' | 'prompts' | 'resources', method: string): ListenTopic => {
    const member = `${kind}ListChanged`
    return {
      member,
      agree: (requested) => {
        if (typeof requested !== 'boolean')
          throw invalidParams(`notifications.${member} must be true or false`)
        if (!requested || capabilities()[kind]?.listChanged !== true) return undefined
        return {
          acknowledged: { [member]: true },
          onChange: (event, notify) => {
            if (event.kind === kind || event.kind === 'gap') notify({ method })
          },
        }
      },
    }
  }
  return [
    list('tools', Notification.ToolsListChanged),
    list('prompts', Notification.PromptsListChanged),
    list('resources', Notification.ResourcesListChanged),
    { member: 'resourceSubscriptions', agree: (requested, ctx) => agreeToUris(resources, requested, ctx) },
  ]
}

/** Omits unknown and hidden URIs, so that clients cannot tell them apart. */
async function agreeToUris(
  resources: Resources,
  requested: unknown,
  ctx: CallContext,
): Promise<SubscriptionFilter | undefined> {
  const found = readTexts('resourceSubscriptions', requested, MAX_URI_LENGTH).flatMap((uri) => {
    const entry = resources.entryAt(uri, ctx)
    return entry === undefined ? [] : [{ uri, visible: entry.visible, scopes: entry.scopes }]
  })
  if (!resources.offered) return undefined
  const visible = await visibleAmong(found, ctx)
  const fault = lacking([...new Set(visible.flatMap(({ scopes = [] }) => scopes))], ctx.scope.caller)
  if (fault !== undefined) throw fault
  const uris = visible.map(({ uri }) => uri)
  const watched = new Set(uris)
  const updated = (uri: string): Parameters<Notify>[0] => ({
    method: Notification.ResourceUpdated,
    params: { uri },
  })
  return {
    acknowledged: { resourceSubscriptions: uris },
    onChange: (event, notify) => {
      if (event.kind === 'gap') for (const uri of uris) notify(updated(uri))
      if (event.kind !== 'resource') return
      const { uri, within } = event
      if (watched.has(uri) || (within !== undefined && watched.has(within))) notify(updated(uri))
    },
    begin: () => {
      const ends = uris.flatMap((uri) => resources.watch(uri, undefined) ?? [])
      return () => {
        for (const end of ends) end()
      }
    },
  }
}

/**
 * Reads a member of the filter as an array of strings, and removes duplicates.
 *
 * @throws McpError `-32602` for any other value, a string of more than `maxLength` characters, or strings that
 * exceed the limit on their number or on their combined length
 */
export function readTexts(member: string, requested: unknown, maxLength: number): readonly string[] {
  if (
    !Array.isArray(requested) ||
    !requested.every((text) => typeof text === 'string' && text.length <= maxLength)
  )
    throw invalidParams(
      `notifications.${member} must be an array of texts of at most ${maxLength} characters`,
    )
  const texts = [...new Set<string>(requested)]
  if (fits(texts)) return texts
  throw invalidParams(`notifications.${member} has more than ${LIMITS}`)
}
