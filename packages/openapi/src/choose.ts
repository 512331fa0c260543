import type { Operation, OperationView } from './document/model.ts'
import { member } from './document/values.ts'
import type { Choice, OpenApiOptions } from './options.ts'

type Choices = Pick<OpenApiOptions<never, never>, 'operations' | 'tags' | 'paths' | 'methods'>

/** Returns a function that decides what an operation is converted to. */
export function chooser({
  operations,
  tags,
  paths,
  methods,
}: Choices): (operation: Operation) => false | 'tool' | 'resource' {
  const patterns = paths?.map(patternOf)
  return (operation) => {
    if (operation.hints.hidden) return false
    if (tags !== undefined && !operation.tags.some((tag) => tags.includes(tag))) return false
    if (methods !== undefined && !methods.includes(operation.method)) return false
    if (patterns !== undefined && !patterns.some((pattern) => pattern.test(operation.path))) return false
    const choice = choiceOf(operation, operations)
    return choice === 'resource' ? 'resource' : choice === true || choice === 'tool' ? 'tool' : false
  }
}

function choiceOf(operation: Operation, operations: Choices['operations']): Choice {
  if (operations === undefined) return !operation.deprecated
  if (typeof operations === 'function') return operations(viewOf(operation))
  const choice = member(operations, operation.key)
  return choice === true || choice === 'tool' || choice === 'resource' ? choice : false
}

export const viewOf = ({
  key,
  method,
  path,
  id,
  summary,
  description,
  tags,
  deprecated,
}: Operation): OperationView => ({
  key,
  method,
  path,
  id,
  summary,
  description,
  tags,
  deprecated,
})

function patternOf(glob: string): RegExp {
  const source = glob
    .replace(/[.+?^${}()|[\]\\]/g, String.raw`\$&`)
    .replace(/\*\*|\*/g, (stars) => (stars === '**' ? '.*' : '[^/]*'))
  return new RegExp(`^${source}$`)
}
