import { McpError, ErrorCode, missingCapability, QuestionError } from '../../errors.ts'
import type { JsonObject } from '../../protocol/jsonrpc.ts'
import { ClientMethod } from '../../protocol/methods.ts'
import { projectForm } from '../../protocol/revisions/base.ts'
import type { Revision } from '../../protocol/revisions/revision.ts'
import type { ClientView } from '../request-context.ts'
import {
  blocksOf,
  NO_ID,
  partsOf,
  type Question,
  type QuestionParts,
  type SampleParams,
  urlOf,
  type UrlParts,
} from './question.ts'
import { randomToken } from '../../util/random.ts'
import { compileForm } from './form.ts'

interface QuestionTarget {
  readonly revision: Revision
  readonly client: ClientView
  /** Collects the ids of URL questions, keyed like the questions. */
  readonly urlIds?: Map<string, string>
}

export interface InputRequest {
  readonly method: string
  readonly params: JsonObject
}

/** The content of a question, independent of the revision. Its digest identifies the question. */
export function shownContent(question: Question, key: string): JsonObject {
  const parts = partsOf(question)
  if (parts.kind === 'form') {
    return { kind: parts.kind, message: parts.message, form: compileForm(parts.schema, key).form }
  }
  return parts.kind === 'url' ? { ...parts, url: urlOf(parts, NO_ID) } : { ...parts }
}

/** @throws McpError before anything is sent, if the client or its revision does not support the question */
export function encodeQuestion(question: Question, key: string, to: QuestionTarget): InputRequest {
  const parts = partsOf(question)
  const method = methodOf(parts.kind)
  if (!to.revision.serverRequests.has(method)) throw unavailable(key, method, to.revision)
  requireDeclared(parts, key, to.client)
  return { method, params: paramsOf(parts, key, to) }
}

function methodOf(kind: QuestionParts['kind']): string {
  if (kind === 'sampling') return ClientMethod.Sample
  return kind === 'roots' ? ClientMethod.ListRoots : ClientMethod.Elicit
}

function paramsOf(parts: QuestionParts, key: string, { revision, urlIds }: QuestionTarget): JsonObject {
  switch (parts.kind) {
    case 'form': {
      const { form } = compileForm(parts.schema, key)
      return { message: parts.message, requestedSchema: projected(revision, form, key) }
    }
    case 'url': {
      if (revision.forms?.url !== true) throw unavailable(key, 'elicitation by URL', revision)
      const id = randomToken(22)
      if (typeof parts.url === 'function') urlIds?.set(key, id)
      return urlParams(parts, id, revision)
    }
    case 'sampling':
      return sampling(parts.params, key, revision)
    default:
      return {}
  }
}

interface UrlParams extends JsonObject {
  readonly mode: 'url'
  readonly message: string
  readonly url: string
  readonly elicitationId?: string
}

export function urlParams(parts: UrlParts, id: string, { elicitationIds }: Revision): UrlParams {
  const shown = { mode: 'url', message: parts.message, url: urlOf(parts, id) } as const
  return elicitationIds ? { ...shown, elicitationId: id } : shown
}

function projected(revision: Revision, form: { readonly properties: object }, key: string): JsonObject {
  try {
    return revision.forms === undefined ? {} : projectForm(revision.forms, form)
  } catch (error) {
    throw unavailable(key, error instanceof Error ? error.message : 'this form', revision)
  }
}

function sampling(params: SampleParams, key: string, revision: Revision): JsonObject {
  const { tools, toolChoice, messages } = params
  const withBlocks = messages.some(
    (message) =>
      Array.isArray(message.content) ||
      blocksOf(message).some(({ type }) => type === 'tool_use' || type === 'tool_result'),
  )
  if (!revision.samplingTools && (tools !== undefined || toolChoice !== undefined || withBlocks))
    throw unavailable(key, 'sampling with tools or lists of blocks', revision)
  return revision.projectSampling({ ...params })
}

/** https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#capabilities */
function requireDeclared(parts: QuestionParts, key: string, client: ClientView): void {
  const need = NEEDS[parts.kind]
  const withTools = parts.kind === 'sampling' && (parts.params.tools ?? parts.params.toolChoice) !== undefined
  const declared = parts.kind === 'form' ? supportsForms(client) : client.supports(need)
  if (declared && !(withTools && !client.supports('sampling.tools'))) return
  const missing = withTools ? 'sampling.tools' : need
  const required = missing.split('.').reduceRight<object>((inner, name) => ({ [name]: inner }), {})
  throw missingCapability(
    `The question "${key}" cannot be asked: the client has not declared the capability "${missing}"; connect with one that does`,
    required,
  )
}

const NEEDS = { form: 'elicitation', url: 'elicitation.url', sampling: 'sampling', roots: 'roots' } as const

/** A client that declares an empty object supports forms. */
function supportsForms(client: ClientView): boolean {
  return (
    client.supports('elicitation') &&
    (client.supports('elicitation.form') || !client.supports('elicitation.url'))
  )
}

const unavailable = (key: string, what: string, revision: Revision): McpError =>
  new McpError(
    ErrorCode.InvalidRequest,
    `The question "${key}" cannot be asked in protocol revision ${revision.version}: ${what}`,
  )

export const notAnswered = (key: string, why: string): QuestionError =>
  new QuestionError('refused', `The question "${key}" was not answered: ${why}`)
