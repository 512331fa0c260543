import { isObject, type JsonObject } from '../../protocol/jsonrpc.ts'
import type { AnySchema, CheckedInput } from '../../schema/types.ts'
import {
  type InferForm,
  partsOf,
  type Question,
  type QuestionKind,
  type Root,
  type Sampled,
  type Seen,
} from './question.ts'
import { toBase64Url } from '../../util/bytes.ts'
import { QuestionError } from '../../errors.ts'
import { describeIssues } from '../../schema/issues.ts'
import { compileForm } from './form.ts'

/** The responses in a request, before they have been matched to their questions. */
export type UnmatchedResponses =
  /** Some responses of a round, each with the digest of its question. */
  | { readonly answers: ResponsesByKey }
  /** Responses without `requestState`: the call has not asked any questions yet. */
  | { readonly responses: JsonObject }

/** Returns a form's content or, with `seesDecline`, the action and the content. */
export type ReadForm = (response: JsonObject, key: string, schema: AnySchema, seesDecline: boolean) => unknown

/** The responses to one call's questions, over all its rounds. */
export class CallInputs {
  unmatched: UnmatchedResponses | undefined
  rounds = 0
  /** The ids of URL questions, keyed like the questions. */
  urlIds: ReadonlyMap<string, string> | undefined
  answers: ResponsesByKey = new Map()
  /** The state that the handler passed to `inputRequired` in the previous round. */
  state: string | undefined
  readonly #readForm: ReadForm | undefined

  /** @param readForm - reads answers to forms. It may be omitted if there are no answers */
  constructor(readForm: ReadForm | undefined) {
    this.#readForm = readForm
  }

  receive(answers: ResponsesByKey, state: string | undefined): void {
    this.answers = answers
    this.state = state
  }

  has(key: string): boolean {
    return this.answers.has(key)
  }

  /** Returns the client's response to a URL, sampling or roots question. */
  raw(key: string): JsonObject | undefined {
    return this.answers.get(key)?.response
  }

  /**
   * Returns the content of a form, or undefined if the question has not been asked.
   *
   * @throws QuestionError if the user declined, or the answer does not match the schema
   */
  get<const S extends AnySchema>(key: string, schema: S): InferForm<S> | undefined {
    return this.#read(key, schema, false) as InferForm<S> | undefined
  }

  /** Like {@link get}, but returns the action instead of throwing if the user declines. */
  see<const S extends AnySchema>(key: string, schema: S): Seen<InferForm<S>> | undefined {
    return this.#read(key, schema, true) as Seen<InferForm<S>> | undefined
  }

  #read(key: string, schema: AnySchema, seesDecline: boolean): unknown {
    const response = this.raw(key)
    return response && this.#readForm?.(response, key, schema, seesDecline)
  }
}

/** The answers to `inputRequired`, as passed to the handler when it runs again. */
export type Inputs = Readonly<Pick<CallInputs, 'state' | 'has' | 'get' | 'see' | 'raw'>>

/** A response, with the digest of the question that it answers. */
export interface PinnedResponse {
  readonly pin: string
  readonly response: JsonObject
}

export type ResponsesByKey = ReadonlyMap<string, PinnedResponse>

/**
 * Adds a round's responses to those of earlier rounds. Keys without a question are ignored, because otherwise
 * a client could answer a question that it never showed.
 * @param pins - the digest of each question of the round
 */
export function mergeResponses(
  known: ResponsesByKey,
  pins: ReadonlyMap<string, string>,
  responses: JsonObject,
): ResponsesByKey {
  const merged = new Map(known)
  for (const [key, pin] of pins) {
    const response = Object.hasOwn(responses, key) ? responses[key] : undefined
    if (isObject(response)) merged.set(key, { pin, response })
  }
  return merged
}

/** Returns the response to exactly this question, or undefined if the question with this key has changed. */
export function responseTo(known: ResponsesByKey, key: string, pin: string): JsonObject | undefined {
  const answer = known.get(key)
  return answer?.pin === pin ? answer.response : undefined
}

/** Returns the SHA-256 of JSON with sorted keys, in base64url. */
export async function digestOf(value: JsonObject): Promise<string> {
  const bytes = new TextEncoder().encode(canonicalJson(value))
  return toBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))
}

/** Returns the same string for objects that differ only in the order of their members. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    isObject(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  )
}

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

/** Reads the user's answer to a form or a URL. The answer to a URL has no content. */
function readElicited(
  response: JsonObject,
  key: string,
  { message, seesDecline }: { readonly message: string; readonly seesDecline: boolean },
  form?: ReturnType<typeof compileForm>,
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

/** @throws QuestionError if the response lacks members that this kind of question requires */
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

export function declined(action: 'decline' | 'cancel', what: string): QuestionError {
  const did = action === 'decline' ? 'declined' : 'closed without an answer'
  return new QuestionError(action === 'decline' ? 'declined' : 'cancelled', `The user ${did}: ${what}`)
}

const invalid = (key: string, why: string): QuestionError =>
  new QuestionError('invalid', `The answer to the question "${key}" is not valid: ${why}`)
