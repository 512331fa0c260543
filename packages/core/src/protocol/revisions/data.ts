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
  | 'callToolResult'

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
  readonly fields: Readonly<Record<Shape, readonly string[]>>
}

/** What a revision changes against the one before it. Members are added; flags are replaced. */
export type RevisionChange = Partial<Omit<RevisionData, 'fields'>> & {
  readonly version: RevisionDate
  readonly adds?: Partial<Record<Shape, readonly string[]>>
}

export function extend(previous: RevisionData, change: RevisionChange): RevisionData {
  const { adds = {}, ...rest } = change
  const fields: Record<Shape, readonly string[]> = { ...previous.fields }
  for (const [shape, members] of Object.entries(adds) as [Shape, readonly string[]][]) {
    fields[shape] = [...fields[shape], ...members]
  }
  return {
    ...previous,
    ...rest,
    methods: [...previous.methods, ...(rest.methods ?? [])],
    notifications: [...previous.notifications, ...(rest.notifications ?? [])],
    serverRequests: [...previous.serverRequests, ...(rest.serverRequests ?? [])],
    fields,
  }
}
