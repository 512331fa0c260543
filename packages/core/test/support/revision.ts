import { revisionOf } from '../../src/protocol/revisions/index.ts'
import type { Revision } from '../../src/protocol/revisions/revision.ts'

/** Returns the revision with this date. It must exist. */
export function revision(version: string): Revision {
  const found = revisionOf(version)
  if (found === undefined) throw new Error(`no revision ${version}`)
  return found
}
