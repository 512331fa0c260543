import type { ExtensionTable } from '../call/extension.ts'
import { logFrame, reachesLevel } from '../call/log.ts'
import { notificationFrame } from '../protocol/jsonrpc.ts'
import { Notification } from '../protocol/methods.ts'
import type { ChangeEvent } from '../stores/bus.ts'
import type { SessionRecord } from '../stores/session-store.ts'
import type { Revision } from '../protocol/revisions/revision.ts'
import type { LogLevel } from '../protocol/types.ts'
import type { ClientView } from '../call/request-context.ts'

/** Changes of which a client is notified depending only on its identity and its subscriptions. */
type NotifiedChange = Exclude<ChangeEvent, { readonly kind: 'elicitation' | 'task' | 'gap' }>

/** The members of a session that determine which notifications its client receives. */
interface NotifiedSession {
  readonly record: SessionRecord
  /** Undefined if the server does not send log messages. */
  readonly logLevel: LogLevel | undefined
  readonly revision: Revision
  readonly client: ClientView
}

/** Returns the notification about a change, or undefined if the session's client does not receive one. */
export function changeFrame(
  event: NotifiedChange,
  { record, logLevel, revision, client }: NotifiedSession,
  notices: ExtensionTable['notices'],
): string | undefined {
  switch (event.kind) {
    case 'log': {
      const { level, logger, data } = event
      const named = logger === undefined ? { level } : { level, logger }
      return reachesLevel(level, logLevel) ? logFrame(named, data) : undefined
    }
    case 'extension': {
      const serves = notices.get(event.id)?.servesClient(revision, client) === true
      return serves ? notificationFrame(event.method, event.params) : undefined
    }
    case 'resource':
      return isSubscribed(event, record)
        ? notificationFrame(Notification.ResourceUpdated, { uri: event.uri })
        : undefined
    default:
      // The text is the same for every session, so it need not be serialised for each.
      return record.listChanged.includes(event.kind)
        ? `{"jsonrpc":"2.0","method":"notifications/${event.kind}/list_changed"}`
        : undefined
  }
}

function isSubscribed(
  { uri, within }: Extract<ChangeEvent, { readonly kind: 'resource' }>,
  { subscriptions }: SessionRecord,
): boolean {
  return subscriptions.includes(uri) || (within !== undefined && subscriptions.includes(within))
}
