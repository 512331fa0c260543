import { REVISIONS } from '@jetway/core/protocol'

export { Method, Notification } from '@jetway/core/protocol'

export const SESSION_DATES: readonly string[] = REVISIONS.filter(({ era }) => era === 'legacy').map(
  ({ version }) => version,
)
