import { usageError } from '../../errors.ts'
import type { NeedsInput } from '../../call/result.ts'
import { isQuestion, type Question } from '../../call/input/question.ts'
import { BRAND, type Branded, brandOf } from '../registry/brand.ts'

/** Questions that a handler returns, created by {@link inputRequired}. */
export interface InputRequired extends Branded<'input-required'> {
  readonly questions: Readonly<Record<string, Question>>
  readonly state: string | undefined
}

/**
 * Creates questions for a handler to return. This is the low-level way to ask questions, for prompts,
 * resources and loops. The handler runs again from the start with the answers in `ctx.inputs`, so it repeats
 * its side effects unless it checks for answers first. In a tool, prefer `asks`: the handler then runs only
 * once.
 *
 * @param questions - the questions, keyed by the name of their answer in `ctx.inputs`; if there are none, the
 * client may repeat the call immediately
 * @param options - `state` is a string that the next run receives in `ctx.inputs.state`
 * @throws `ERR_MCP_INVALID_DEFINITION` for a value that is not a question
 */
export function inputRequired(
  questions: Readonly<Record<string, Question>>,
  options: { readonly state?: string } = {},
): InputRequired {
  for (const [key, question] of Object.entries(questions)) {
    if (isQuestion(question)) continue
    throw usageError(
      'ERR_MCP_INVALID_DEFINITION',
      `inputRequired: "${key}" is not a question; make it with elicit, elicitUrl, sample or listRoots`,
    )
  }
  return { questions, state: options.state, [BRAND]: 'input-required' }
}

export function isInputRequired(value: unknown): value is InputRequired {
  return brandOf(value) === 'input-required'
}

export function toNeedsInput({ questions, state }: InputRequired): NeedsInput {
  return { kind: 'needs-input', questions, ...(state !== undefined && { state }) }
}
