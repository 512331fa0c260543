import { QuestionError } from '../../errors.ts'
import { isObject, type JsonObject } from '../../protocol/jsonrpc.ts'
import { describeIssues } from '../../schema/issues.ts'
import type { CheckedInput } from '../../schema/types.ts'
import { type CompiledForm, compileForm } from './form.ts'
import { partsOf, type Question, type QuestionKind, type Root, type Sampled, type Seen } from './question.ts'

/**
 * Reads the answer in a client's response.
 *
 * @throws QuestionError for an invalid response, and for a decline unless the question has `declined: 'see'`
 */
export function decodeResponse(question: Question, key: string, response: JsonObject): unknown {
  const parts = partsOf(question)
  switch (parts.kind) {
    case 'form':
      return readElicited(response, key, parts, compileForm(parts.schema, key))
    case 'url':
      return readElicited(response, key, parts)
    case 'sampling':
      return readSampled(response, key)
    default:
      return readRoots(response, key)
  }
}

/** Reads the user's answer to a form, or to a URL, which has no content. */
function readElicited(
  response: JsonObject,
  key: string,
  { message, seesDecline }: { readonly message: string; readonly seesDecline: boolean },
  form?: CompiledForm,
): unknown {
  const action = actionOf(response, key)
  if (action !== 'accept') {
    if (seesDecline) return { action }
    throw declined(action, message === '' ? key : message)
  }
  const finish = (content: unknown): unknown => (seesDecline ? { action, content } : content)
  if (form === undefined) return finish(undefined)
  const checked = form.check(contentOf(response, key))
  return checked instanceof Promise
    ? checked.then((it) => finish(acceptedValue(it, key)))
    : finish(acceptedValue(checked, key))
}

/** @throws QuestionError if the response does not have the members that such a question requires */
export function checkShape(kind: QuestionKind, response: JsonObject, key: string): void {
  if (kind === 'sampling') readSampled(response, key)
  else if (kind === 'roots') readRoots(response, key)
  else if (actionOf(response, key) === 'accept') contentOf(response, key)
}

function readSampled(response: JsonObject, key: string): Sampled {
  const { role, content, model } = response
  const hasContent = isObject(content) || Array.isArray(content)
  if ((role === 'user' || role === 'assistant') && hasContent && typeof model === 'string')
    return response as unknown as Sampled
  throw invalid(key, 'it must have role, content and model')
}

function readRoots({ roots }: JsonObject, key: string): readonly Root[] {
  if (Array.isArray(roots) && roots.every((root) => isObject(root) && typeof root['uri'] === 'string'))
    return roots as readonly Root[]
  throw invalid(key, 'roots must be a list of objects with a uri')
}

export function actionOf({ action }: JsonObject, key: string): Seen<unknown>['action'] {
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

export function declined(action: 'decline' | 'cancel', asked: string): QuestionError {
  const did = action === 'decline' ? 'declined' : 'closed without an answer'
  return new QuestionError(action === 'decline' ? 'declined' : 'cancelled', `The user ${did}: ${asked}`)
}

const invalid = (key: string, why: string): QuestionError =>
  new QuestionError('invalid', `The answer to the question "${key}" is not valid: ${why}`)
