import type { FormRules } from './forms.ts'
import type { RevisionDate, TaskDialect } from './revision.ts'

/** The objects of the neutral model whose members differ between revisions. */
export type Shape =
  | 'implementation'
  | 'icon'
  | 'capabilities'
  | 'tool'
  | 'toolAnnotations'
  | 'annotations'
  | 'resource'
  | 'resourceTemplate'
  | 'prompt'
  | 'promptArgument'
  | 'contents'
  | 'text'
  | 'image'
  | 'audio'
  | 'resource_link'
  | 'embedded'

/** A revision as data. A shape without members does not exist in the revision. */
export interface RevisionData {
  readonly version: RevisionDate
  readonly methods: readonly string[]
  readonly notifications: readonly string[]
  readonly serverRequests: readonly string[]
  readonly batching: boolean
  readonly versionHeader: boolean
  readonly primesStreams: boolean
  readonly progressMessage: boolean
  readonly forms: FormRules | undefined
  readonly elicitationIds: boolean
  readonly samplingTools: boolean
  readonly tasks: TaskDialect | undefined
  /** What a tool's structured value may be, where there is one. */
  readonly structured: 'object' | 'any' | undefined
  readonly fields: Readonly<Record<Shape, readonly string[]>>
}

type Lists = 'methods' | 'notifications' | 'serverRequests'

/** What a revision changes against the one before it. Members are added; flags are replaced. */
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
