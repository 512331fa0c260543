import { leftOut } from '../../errors-left-out.ts'
import type * as whole from './session-options.ts'

const FOR_SESSIONS = ['sessions', 'sessionStore', 'eventStore', 'legacySse', 'listens'] as const

type Stateless = Pick<whole.ResolvedSessionOptions, 'stateless'>

export function resolveSessionOptions(
  ...[options]: Parameters<typeof whole.resolveSessionOptions>
): Stateless {
  for (const name of FOR_SESSIONS) if ((options[name] ?? false) !== false) throw leftOut(`The option ${name}`)
  if (options.stateless ?? true) return { stateless: true }
  throw leftOut('What stateless: false asks for')
}
