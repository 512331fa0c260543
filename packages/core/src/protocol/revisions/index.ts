import { usageError } from '../../errors.ts'
import { checkArray } from '../../util/check-options.ts'
import { legacyRevision, modernRevision } from './eras.ts'
import type { Era, Revision, RevisionDate } from './revision.ts'
import { v2024_11_05 } from './v2024-11-05.ts'
import { v2025_03_26 } from './v2025-03-26.ts'
import { v2025_06_18 } from './v2025-06-18.ts'
import { v2025_11_25 } from './v2025-11-25.ts'
import { v2026_07_28 } from './v2026-07-28.ts'

/** Every revision that Jetway supports, newest first. */
export const REVISIONS: readonly Revision[] = [
  modernRevision(v2026_07_28),
  ...[v2025_11_25, v2025_06_18, v2025_03_26, v2024_11_05].map(legacyRevision),
]

const byVersion: ReadonlyMap<string, Revision> = new Map(
  REVISIONS.map((revision) => [revision.version, revision]),
)

export const revisionOf = (version: string): Revision | undefined => byVersion.get(version)

/**
 * Returns the revisions that an option names, newest first, or all revisions if the option is not set.
 *
 * @throws `ERR_MCP_REVISION` for an unknown revision or an empty list
 */
export function resolveRevisions(dates: readonly RevisionDate[] | undefined): readonly Revision[] {
  if (dates === undefined) return REVISIONS
  checkArray('revisions', dates, `['${REVISIONS[0]?.version}']`)
  const unknown = dates.find((date) => !byVersion.has(date))
  if (unknown !== undefined || dates.length === 0) {
    const known = REVISIONS.map((revision) => revision.version).join(', ')
    const what =
      unknown === undefined ? 'No protocol revision is named' : `Unknown protocol revision "${unknown}"`
    throw usageError('ERR_MCP_REVISION', `${what}: choose from ${known}`)
  }
  return REVISIONS.filter((revision) => dates.includes(revision.version))
}

/**
 * Returns the known revisions that an option names, or all known revisions if the option is not set.
 *
 * @throws `ERR_MCP_REVISION` for an unknown revision, and for an empty subset
 */
export function narrowRevisions(
  known: readonly Revision[],
  dates: readonly RevisionDate[] | undefined,
): readonly Revision[] {
  if (dates === undefined) return known
  const served = resolveRevisions(dates).filter((revision) => known.includes(revision))
  if (served.length > 0) return served
  throw usageError('ERR_MCP_REVISION', 'The server speaks none of the revisions that are to be served here')
}

export const ofEra = (era: Era, served: readonly Revision[]): readonly Revision[] =>
  served.filter((revision) => revision.era === era)

/** Returns whether this revision supports a feature that only some eras have. */
export const isOfferedIn = (revision: Revision, eras: readonly Era[]): boolean => eras.includes(revision.era)

/**
 * Returns the revision of a new session: the requested revision if it is served, otherwise the newest served
 * revision. Pass only revisions with sessions as `served`.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#version-negotiation
 */
export function negotiate(requested: string, served: readonly Revision[]): Revision {
  const [newest] = served
  if (newest === undefined) throw usageError('ERR_MCP_REVISION', 'No protocol revision is served')
  return served.find((revision) => revision.version === requested) ?? newest
}
