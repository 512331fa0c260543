import { QuestionError } from '../../errors.ts'
import { isObject, type JsonObject } from '../../protocol/jsonrpc.ts'
import { describeIssues } from '../../schema/issues.ts'
import type { CheckedInput } from '../../schema/types.ts'
import type { CompiledForm } from './form.ts'
import type { QuestionKind, Root, Sampled, Seen } from './question.ts'

interface Elicited {
  readonly key: string
  readonly message: string
  readonly seesDecline: boolean
}

export function readForm(
  response: JsonObject,
  { form, ...asked }: Elicited & { readonly form: CompiledForm },
): unknown {
  const action = actionOf(response, asked.key)
  if (action !== 'accept') return notAccepted(asked, action)
  const checked = form.check(contentOf(response, asked.key))
  const finish = (it: CheckedInput): unknown => {
    const content = acceptedValue(it, asked.key)
    return asked.seesDecline ? { action, content } : content
  }
  return checked instanceof Promise ? checked.then(finish) : finish(checked)
}

/**
 * @throws QuestionError if the response does not have the form of a response to such a question
 */
export function checkShape(kind: QuestionKind, response: JsonObject, key: string): void {
  if (kind === 'sampling') readSampled(response, key)
  else if (kind === 'roots') readRoots(response, key)
  else if (actionOf(response, key) === 'accept') contentOf(response, key)
}

export function readUrl(response: JsonObject, asked: Elicited): unknown {
  const action = actionOf(response, asked.key)
  if (action !== 'accept') return notAccepted(asked, action)
  return asked.seesDecline ? { action, content: undefined } : undefined
}

export function readSampled(response: JsonObject, key: string): Sampled {
  const { role, content, model } = response
  const hasContent = isObject(content) || Array.isArray(content)
  if ((role === 'user' || role === 'assistant') && hasContent && typeof model === 'string')
    return response as unknown as Sampled
  throw invalid(key, 'it must have role, content and model')
}

export function readRoots({ roots }: JsonObject, key: string): readonly Root[] {
  if (Array.isArray(roots) && roots.every((root) => isObject(root) && typeof root['uri'] === 'string'))
    return roots as readonly Root[]
  throw invalid(key, 'roots must be a list of objects with a uri')
}

export type Action = Seen<unknown>['action']

export function actionOf({ action }: JsonObject, key: string): Action {
  if (action === 'accept' || action === 'decline' || action === 'cancel') return action
  throw invalid(key, 'the action must be accept, decline or cancel')
}

export function contentOf({ content = {} }: JsonObject, key: string): JsonObject {
  if (isObject(content)) return content
  throw invalid(key, 'the content must be an object')
}

export function acceptedValue(checked: CheckedInput, key: string): unknown {
  if (checked.ok) return checked.value
  throw invalid(key, describeIssues(checked.issues))
}

function notAccepted({ key, message, seesDecline }: Elicited, action: 'decline' | 'cancel'): Seen<never> {
  if (seesDecline) return { action }
  throw declined(action, message === '' ? key : message)
}

export function declined(action: 'decline' | 'cancel', asked: string): QuestionError {
  const did = action === 'decline' ? 'declined' : 'closed without an answer'
  return new QuestionError(action === 'decline' ? 'declined' : 'cancelled', `The user ${did}: ${asked}`)
}

const invalid = (key: string, why: string): QuestionError =>
  new QuestionError('invalid', `The answer to the question "${key}" is not valid: ${why}`)
