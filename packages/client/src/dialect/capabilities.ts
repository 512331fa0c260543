import { type ClientCapabilities, Notification, type Revision, TASKS_EXTENSION } from '@jetway/core/protocol'
import type { ResolvedOptions } from '../options/options.ts'

export function capabilitiesFor(
  revision: Revision,
  { handlers, capabilities, tasks }: ResolvedOptions,
): ClientCapabilities {
  const { forms } = revision
  const form = handlers.elicit !== undefined
  const url = handlers.elicitUrl !== undefined && forms?.url === true
  const asks = revision.serverRequests
  const { experimental, extensions, sampling } = capabilities
  const known = tasks && revision.tasks === 'extension' ? { [TASKS_EXTENSION]: {} } : {}
  const allExtensions = { ...known, ...extensions }
  return {
    ...(handlers.roots !== undefined && {
      roots: revision.notifications.has(Notification.RootsListChanged) ? { listChanged: true } : {},
    }),
    ...(handlers.sample !== undefined && {
      sampling: revision.samplingTools ? (sampling ?? {}) : {},
    }),
    ...(asks.has('elicitation/create') &&
      (form || url) && {
        elicitation: forms?.url === true ? { ...(form && { form: {} }), ...(url && { url: {} }) } : {},
      }),
    ...(experimental !== undefined && { experimental }),
    ...(Object.keys(allExtensions).length > 0 && { extensions: allExtensions }),
  }
}
