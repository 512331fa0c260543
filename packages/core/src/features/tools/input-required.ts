import { usageError } from '../../errors.ts'
import type { NeedsInput } from '../../call/result.ts'
import { isQuestion, type Question } from '../../call/input/question.ts'
import { BRAND, type Branded, brandOf } from '../registry/brand.ts'

/** Created by {@link inputRequired}. */
export interface InputRequired extends Branded<'input-required'> {
  readonly questions: Readonly<Record<string, Question>>
  readonly state: string | undefined
}

/**
 * The low-level way to ask questions, for loops, prompts and resources. The handler returns its questions, and
 * runs again from the start with the answers in `ctx.inputs`. It repeats its side effects unless it checks for
 * answers first. Prefer the `asks` of a tool, whose handler runs once.
 *
 * @param questions - by the key of the answer in `ctx.inputs`; without questions the client may repeat the call
 *   at once
 * @param options - `state` is a string for the next run, in `ctx.inputs.state`
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
