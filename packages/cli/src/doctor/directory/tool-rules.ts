import type { Tool } from '@jetway/core/protocol'
import { some } from '../verdicts.ts'
import type { Facts } from './facts.ts'
import { broken, met, type Outcome } from './rule.ts'

export type Hint = 'readOnlyHint' | 'destructiveHint' | 'openWorldHint'

export const hintOf = ({ annotations = {} }: Tool, hint: Hint): boolean | undefined => {
  const value: unknown = annotations[hint]
  return typeof value === 'boolean' ? value : undefined
}

export const names = (tools: readonly Tool[]): string => some(tools.map(({ name }) => name))

/** Returns an outcome with the names of the tools that break a rule. */
export function forTools(
  { tools }: Facts,
  isBroken: (tool: Tool) => boolean,
  texts: { readonly met: string; readonly broken: string; readonly advice: string },
): Outcome {
  const found = tools.filter(isBroken)
  return found.length === 0 ? met(texts.met) : broken(`${names(found)}: ${texts.broken}`, texts.advice)
}

/** Verbs that occur in the names of tools that change something. */
const CHANGES =
  /^(?:add|archive|cancel|clear|create|delete|destroy|drop|edit|insert|move|patch|post|publish|purge|put|remove|rename|reset|revoke|send|set|update|upload|write)(?:[_.-]|[A-Z]|$)/

/** Whether a tool is marked as read-only, although its name says that it changes something. */
export const contradictsName = (tool: Tool): boolean =>
  hintOf(tool, 'readOnlyHint') === true && CHANGES.test(tool.name)

export const NAME_CONTRADICTION = {
  met: 'No read-only tool has a name that says otherwise',
  broken: 'readOnlyHint is true, and the name says that it changes something',
  advice: 'Set readOnlyHint: false, or give the tool a name for what it reads',
} as const

export const isReadOnlyAndDestructive = (tool: Tool): boolean =>
  hintOf(tool, 'readOnlyHint') === true && hintOf(tool, 'destructiveHint') === true

export const HINT_CONTRADICTION = {
  met: 'No tool is read-only and destructive at once',
  broken: 'readOnlyHint and destructiveHint are true',
  advice: 'Set one of them to false',
} as const

export const hasNoTitle = ({ title, annotations }: Tool): boolean =>
  [title, annotations?.title].every((text) => (text ?? '').trim() === '')
