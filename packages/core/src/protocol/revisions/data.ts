import type { Revision, RevisionDate, Shape } from './revision.ts'

type Lists = 'methods' | 'notifications' | 'serverRequests'
type Flags =
  | 'batching'
  | 'versionHeader'
  | 'primesStreams'
  | 'progressMessage'
  | 'elicitationIds'
  | 'samplingTools'

/** A revision as data. Objects for which no members are listed do not exist in the revision. */
export interface RevisionData
  extends Readonly<Record<Lists, readonly string[]>>, Pick<Revision, Flags | 'version' | 'forms' | 'tasks'> {
  /**
   * The kinds of values that structured content may have; undefined if the revision has no structured content.
   */
  readonly structured: 'object' | 'any' | undefined
  readonly fields: Readonly<Record<Shape, readonly string[]>>
}

/** A revision's changes to the previous one: members are added, and flags are replaced. */
export type RevisionChange = Partial<Omit<RevisionData, 'fields'>> & {
  readonly version: RevisionDate
  readonly adds?: Partial<Record<Shape, readonly string[]>>
  readonly drops?: Partial<Record<Shape | Lists, readonly string[]>>
}

export function extend(previous: RevisionData, change: RevisionChange): RevisionData {
  const { adds = {}, drops = {}, ...rest } = change
  const fields = Object.entries(previous.fields).map(([shape, members]) => [
    shape,
    joined(members, adds[shape as Shape], drops[shape as Shape]),
  ])
  return {
    ...previous,
    ...rest,
    methods: joined(previous.methods, rest.methods, drops.methods),
    notifications: joined(previous.notifications, rest.notifications, drops.notifications),
    serverRequests: joined(previous.serverRequests, rest.serverRequests, drops.serverRequests),
    fields: Object.fromEntries(fields) as RevisionData['fields'],
  }
}

const joined = (
  before: readonly string[],
  added: readonly string[] = [],
  dropped: readonly string[] = [],
): readonly string[] => [...before.filter((each) => !dropped.includes(each)), ...added]
