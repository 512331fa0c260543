import type { Operation } from '../document/model.ts'
import { tidy } from '../document/values.ts'

const MAX_SUMMARY = 256
const MAX_DESCRIPTION = 1024

/** What a model reads about an operation. */
export function describeOperation({ summary, description, key }: Operation): string {
  const first = tidy(summary ?? '', MAX_SUMMARY)
  const rest = tidy(description ?? '', MAX_DESCRIPTION)
  if (rest === '' || first.startsWith(rest)) return first === '' ? key : first
  return first === '' || rest.startsWith(first) ? rest : `${first}\n\n${rest}`
}

const READS: readonly string[] = ['get', 'head', 'options']

export function hintsOf({ method }: Operation): {
  readonly readOnly: boolean
  readonly openWorld: boolean
  readonly destructive?: boolean
  readonly idempotent?: boolean
} {
  return {
    readOnly: READS.includes(method),
    // Clients assume that other tools that are not read-only may be destructive too.
    ...(method === 'delete' && { destructive: true }),
    ...((method === 'put' || method === 'delete') && { idempotent: true }),
    openWorld: true,
  }
}
