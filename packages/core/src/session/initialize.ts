import { invalidParams, type McpError } from '../errors.ts'
import {
  errorFrame,
  isObject,
  type JsonObject,
  type JsonRpcRequest,
  resultFrame,
} from '../protocol/jsonrpc.ts'
import { negotiate } from '../protocol/revisions/index.ts'
import type { Revision } from '../protocol/revisions/revision.ts'
import { unsupportedVersion } from '../protocol/revisions/select.ts'
import type { Implementation, ServerCapabilities } from '../protocol/types.ts'
import { ANONYMOUS } from '../stores/principal.ts'
import type { SessionRecord } from '../stores/session-store.ts'
import type { RequestOrigin } from '../call/exchange.ts'
import { ClientView } from '../call/request-context.ts'
import { isPromiseLike } from '../util/promises.ts'
import type { ServerRuntime } from './server-runtime.ts'
import { Session } from './session.ts'

/** The maximum size of a client's capabilities and info in a session, in characters of JSON. */
const MAX_CLIENT_LENGTH = 16_384

const LISTS = ['tools', 'resources', 'prompts'] as const

const NONE: readonly string[] = []
export type SessionDraft = Omit<SessionRecord, 'id'>

export interface InitializeInput {
  readonly served: readonly Revision[]
  readonly message: JsonRpcRequest
  readonly principal: string
  /** The server's name, for the record; undefined if no other server has the same stores. */
  readonly server?: string
  /** The origin of the request, for telemetry. */
  readonly origin?: RequestOrigin
  /** The id of the session, or a function that creates it from the session; an empty string without sessions. */
  readonly id: string | ((draft: SessionDraft) => string | Promise<string>)
}

/** The response to `initialize`, and either the session's record or the error. */
export type InitializeResult = { readonly frame: string } & (
  | { readonly record: SessionRecord; readonly revision: Revision; readonly error?: undefined }
  | { readonly record?: undefined; readonly error: McpError }
)

export type Initialized = { readonly frame: string } & (
  | { readonly session: Session }
  | { readonly session?: undefined; readonly error: McpError }
)

/** Opens a session with an `initialize` request. */
export async function initialize(runtime: ServerRuntime, input: InitializeInput): Promise<Initialized> {
  const result = await answerInitialize(runtime, input)
  if (result.record === undefined) return { error: result.error, frame: result.frame }
  return { session: new Session(runtime, result.record, result.revision), frame: result.frame }
}

/**
 * Handles `initialize`. On a mount without sessions, the request has no other effect.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#initialization
 */
export function answerInitialize(runtime: ServerRuntime, input: InitializeInput): Promise<InitializeResult> {
  const { observers } = runtime
  const run = (): Promise<InitializeResult> => negotiated(runtime, input)
  return observers === undefined ? run() : observers.initialize(input.message, input.origin ?? {}, run)
}

async function negotiated(runtime: ServerRuntime, input: InitializeInput): Promise<InitializeResult> {
  const { message, served, principal, id, server } = input
  const params = readParams(message.params)
  if (typeof params === 'string') {
    const error = invalidParams(params)
    return { error, frame: errorFrame(message.id, error) }
  }
  // A selector may have returned a server without session revisions.
  if (served.length === 0) {
    const error = unsupportedVersion(runtime.revisions, params.version)
    return { error, frame: errorFrame(message.id, error) }
  }
  // Awaits only promises, because each `await` costs about as much as the whole negotiation.
  const opening = runtime.ready()
  if (opening !== undefined) await opening
  const revision = negotiate(params.version, served)
  const { listChanged, json } = offerOf(runtime, revision, input)
  const record: { -readonly [K in keyof SessionRecord]: SessionRecord[K] } = {
    id: '',
    principal,
    revision: revision.version,
    client: params.client,
    initialized: false,
    createdAt: runtime.clock.now(),
    listChanged,
    subscriptions: NONE,
    ...(server !== undefined && { server }),
  }
  const created = typeof id === 'string' ? id : id(record)
  record.id = typeof created === 'string' ? created : await created
  const given = runtime.instructions(new ClientView(record.client.info, record.client.capabilities))
  const instructions = isPromiseLike(given) ? await given : given
  const result =
    instructions === undefined ? json : `${json.slice(0, -1)},"instructions":${JSON.stringify(instructions)}}`
  return { record, revision, frame: resultFrame(message.id, result) }
}

/** The part of a response that is the same for all clients. */
interface Offer {
  readonly capabilities: ServerCapabilities
  readonly hasTasks: boolean
  readonly listChanged: SessionRecord['listChanged']
  /** The result without instructions. */
  readonly json: string
}

/** The most recent offer for each server and revision. Sessions share its lists. */
const offers = new WeakMap<ServerRuntime, Map<Revision, Offer>>()

/** Returns the offer, or creates a new one if the capabilities have changed. */
function offerOf(runtime: ServerRuntime, revision: Revision, { id, principal }: InitializeInput): Offer {
  const capabilities = runtime.capabilities(revision)
  // An anonymous client without a session is not offered tasks, because later requests could not prove which
  // tasks belong to it.
  const hasTasks = capabilities.tasks !== undefined && (id !== '' || principal !== ANONYMOUS)
  const known = offers.get(runtime) ?? new Map<Revision, Offer>()
  const last = known.get(revision)
  if (last?.capabilities === capabilities && last.hasTasks === hasTasks) return last
  const { tasks, ...others } = capabilities
  const offered = hasTasks && tasks !== undefined ? { ...others, tasks } : others
  const json = JSON.stringify({
    protocolVersion: revision.version,
    capabilities: revision.project('capabilities', offered),
    serverInfo: revision.project('implementation', runtime.info),
  })
  const listChanged = LISTS.filter((list) => offered[list]?.listChanged === true)
  const offer = { capabilities, hasTasks, listChanged, json }
  offers.set(runtime, known.set(revision, offer))
  return offer
}

interface InitializeParams {
  readonly version: string
  readonly client: SessionRecord['client']
}

/** Returns the parameters, or an error message. */
function readParams(params: JsonObject = {}): InitializeParams | string {
  const { protocolVersion, capabilities = {}, clientInfo } = params
  if (typeof protocolVersion !== 'string') return 'initialize needs params.protocolVersion, a string'
  if (!isObject(capabilities)) return 'params.capabilities must be an object'
  if (clientInfo !== undefined && !isObject(clientInfo)) return 'params.clientInfo must be an object'
  const client = { capabilities, ...(clientInfo !== undefined && { info: implementation(clientInfo) }) }
  if (isShort(client)) return { version: protocolVersion, client }
  // Icons may contain whole images as `data:` URLs, but their size must not make `initialize` fail.
  const withoutIcons = { capabilities, info: implementation({ ...clientInfo, icons: undefined }) }
  if (clientInfo !== undefined && isShort(withoutIcons))
    return { version: protocolVersion, client: withoutIcons }
  return 'params.capabilities and params.clientInfo are too large'
}

const implementation = (info: JsonObject): Implementation => info as unknown as Implementation

const isShort = (client: SessionRecord['client']): boolean =>
  JSON.stringify(client).length <= MAX_CLIENT_LENGTH
