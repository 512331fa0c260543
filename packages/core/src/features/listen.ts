import { ErrorCode, invalidParams, McpError } from '../errors.ts'
import { isObject, type JsonObject } from '../protocol/jsonrpc.ts'
import { Method, Notification } from '../protocol/methods.ts'
import type { ServerCapabilities } from '../protocol/types.ts'
import type { CallContext } from '../runtime/context.ts'
import type { MethodEntry } from '../runtime/dispatcher.ts'
import type { Interest } from '../runtime/listen.ts'
import type { Outcome } from '../runtime/outcome.ts'
import { MAX_URI_LENGTH, type Resources } from './resources.ts'
import { visibleAmong } from './visibility.ts'

/** Addresses in one filter. */
const MAX_URIS = 1024

/** One member of the filter that clients send. */
export interface ListenTopic {
  readonly member: string
  /**
   * What the server agrees to of a member that is there; undefined for nothing.
   *
   * @throws McpError `-32602` for a malformed one
   */
  agree(asked: unknown, ctx: CallContext): Interest | undefined | Promise<Interest | undefined>
}

/**
 * `subscriptions/listen`: agrees to what the server can tell of, and leaves the rest to the door.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
 */
export function listenEntry(topics: readonly ListenTopic[]): readonly [string, MethodEntry] {
  return [Method.Listen, { handle: (params, ctx) => listen(topics, params, ctx) }]
}

async function listen(
  topics: readonly ListenTopic[],
  { notifications }: JsonObject,
  ctx: CallContext,
): Promise<Outcome> {
  if (ctx.scope.exchange.listens !== true) throw new McpError(ErrorCode.MethodNotFound, NOWHERE)
  if (!isObject(notifications)) throw invalidParams('The member "notifications" must be an object')
  const interests: Interest[] = []
  for (const topic of topics) {
    const asked = notifications[topic.member]
    const interest = asked === undefined ? undefined : await topic.agree(asked, ctx)
    if (interest !== undefined) interests.push(interest)
  }
  return { kind: 'listening', interests }
}

const NOWHERE = 'Changes are told on connections that stay open, and this is none'

/** Lists and resources, as far as the server has any. */
export function changeTopics(
  capabilities: () => ServerCapabilities,
  resources: Resources,
): readonly ListenTopic[] {
  const list = (kind: 'tools' | 'prompts' | 'resources', method: string): ListenTopic => ({
    member: `${kind}ListChanged`,
    agree: (asked) => {
      const member = `${kind}ListChanged`
      if (typeof asked !== 'boolean') throw invalidParams(`notifications.${member} must be true or false`)
      if (!asked || capabilities()[kind]?.listChanged !== true) return undefined
      return {
        acknowledged: { [member]: true },
        notice: (event) => (event.kind === kind ? { method } : undefined),
      }
    },
  })
  return [
    list('tools', Notification.ToolsListChanged),
    list('prompts', Notification.PromptsListChanged),
    list('resources', Notification.ResourcesListChanged),
    { member: 'resourceSubscriptions', agree: (asked, ctx) => agreeToUris(resources, asked, ctx) },
  ]
}

/** An address that is unknown and one that is hidden from the caller are left out in the same way. */
async function agreeToUris(
  resources: Resources,
  asked: unknown,
  ctx: CallContext,
): Promise<Interest | undefined> {
  const found = readUris(asked).flatMap((uri) => {
    const entry = resources.entryAt(uri, ctx)
    return entry === undefined ? [] : [{ uri, visible: entry.visible }]
  })
  if (!resources.offered) return undefined
  const uris = (await visibleAmong(found, ctx)).map(({ uri }) => uri)
  const watched = new Set(uris)
  return {
    acknowledged: { resourceSubscriptions: uris },
    notice: (event) => {
      if (event.kind !== 'resource') return undefined
      const { uri, within } = event
      if (!watched.has(uri) && (within === undefined || !watched.has(within))) return undefined
      return { method: Notification.ResourceUpdated, params: { uri } }
    },
    begin: () => {
      const ends = uris.flatMap((uri) => resources.watch(uri, undefined) ?? [])
      return () => {
        for (const end of ends) end()
      }
    },
  }
}

function readUris(asked: unknown): readonly string[] {
  if (!Array.isArray(asked) || !asked.every((uri) => typeof uri === 'string' && uri.length <= MAX_URI_LENGTH))
    throw invalidParams(
      `notifications.resourceSubscriptions must be an array of URIs of at most ${MAX_URI_LENGTH} characters`,
    )
  const uris = [...new Set<string>(asked)]
  if (uris.length <= MAX_URIS) return uris
  throw invalidParams(`notifications.resourceSubscriptions has more than ${MAX_URIS} URIs`)
}
