import { invalid, type Subject } from './registry/checks.ts'
import type { AnyCompleters } from './completion-types.ts'

/** @throws `ERR_MCP_INVALID_DEFINITION` for an unknown name or a completer that is not a function */
export function checkCompleters(
  subject: Subject,
  complete: object | undefined,
  names: readonly string[],
): AnyCompleters | undefined {
  if (complete === undefined) return undefined
  const completers = Object.entries(complete).filter(([, completer]) => completer !== undefined)
  for (const [name, completer] of completers) {
    if (!names.includes(name)) {
      throw invalid(subject, `completes ${JSON.stringify(name)}, which it does not have`)
    }
    if (typeof completer !== 'function') {
      throw invalid(subject, `needs a function to complete ${JSON.stringify(name)}`)
    }
  }
  return completers.length === 0 ? undefined : (Object.fromEntries(completers) as AnyCompleters)
}
