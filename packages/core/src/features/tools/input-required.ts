import { usageError } from '../../errors.ts'
import type { NeedsInput } from '../../call/result.ts'
import { isQuestion, type Question } from '../../call/input/question.ts'
import { BRAND, type Branded, brandOf } from '../registry/brand.ts'

/** A handler's questions. Made by {@link inputRequired}. */
export interface InputRequired extends Branded<'input-required'> {
  readonly questions: Readonly<Record<string, Question>>
  readonly state: string | undefined
}

/**
 * The low-level way to ask, for loops, prompts and resources: the handler returns its questions, and runs again from
 * the start when the answers are there, in `ctx.inputs`. What it did before is done twice, unless it looks first; `asks`
 * of a tool have no such trap.
 *
 * Where a call's questions are its result, its client brings them back with a request of its own; without any it may come
 * again at once.
 *
 * @param questions - by the key under which `ctx.inputs` has the answer
 * @param options - `state` is a text of your own, which the next run finds in `ctx.inputs.state`
 * @throws `ERR_MCP_INVALID_DEFINITION` for something that is no question
 */
export function inputRequired(
  questions: Readonly<Record<string, Question>>,
  options: { readonly state?: string } = {},
): InputRequired {
  for (const [key, asked] of Object.entries(questions)) {
    if (isQuestion(asked)) continue
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
