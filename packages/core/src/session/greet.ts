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
import { clientView } from '../call/client-view.ts'
import type { ServerRuntime } from './server-runtime.ts'
import type { SessionRecord } from '../stores/session-store.ts'

/** What a client says of itself is kept for as long as the session: this many characters of JSON at the most. */
const MAX_CLIENT_FACTS = 16_384

const LISTS = ['tools', 'resources', 'prompts'] as const

/** What is known of a session before it has its id. */
export type SessionDraft = Omit<SessionRecord, 'id'>

export interface InitializeInput {
  readonly served: readonly Revision[]
  readonly message: JsonRpcRequest
  readonly principal: string
  /** The id of the session to be, drawn by the door, or how the door makes it of what the session is. */
  readonly id: string | ((draft: SessionDraft) => string | Promise<string>)
}

/** The answer to `initialize`, and what a session begins with; or the error that the answer says. */
export type InitializeResult =
  | {
      readonly record: SessionRecord
      readonly revision: Revision
      readonly frame: string
      readonly error?: undefined
    }
  | { readonly record?: undefined; readonly error: McpError; readonly frame: string }

/**
 * Answers `initialize`. Where there are sessions one is opened of it; elsewhere it is forgotten.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#initialization
 */
export async function answerInitialize(
  runtime: ServerRuntime,
  input: InitializeInput,
): Promise<InitializeResult> {
  const { message, served, principal, id } = input
  const facts = readFacts(message.params)
  if (typeof facts === 'string') {
    const error = invalidParams(facts)
    return { error, frame: errorFrame(message.id, error) }
  }
  // The server that was chosen for the client may have no sessions, though the mount has.
  if (served.length === 0) {
    const error = unsupportedVersion(runtime.revisions, facts.version)
    return { error, frame: errorFrame(message.id, error) }
  }
  await runtime.ready()
  const revision = negotiate(facts.version, served)
  const capabilities = offered(runtime, revision, input)
  const draft: SessionDraft = {
    principal,
    revision: revision.version,
    client: facts.client,
    initialized: false,
    createdAt: runtime.clock.now(),
    listChanged: LISTS.filter((list) => capabilities[list]?.listChanged === true),
    subscriptions: [],
  }
  const named = typeof id === 'string' ? id : await id(draft)
  const { info, capabilities: declared } = draft.client
  const instructions = await runtime.instructions(clientView(info, declared))
  const result = {
    protocolVersion: revision.version,
    capabilities: revision.projectCapabilities(capabilities),
    serverInfo: revision.projectImplementation(runtime.info),
    ...(instructions === undefined ? {} : { instructions }),
  }
  return { record: { id: named, ...draft }, revision, frame: resultFrame(message.id, JSON.stringify(result)) }
}

/** A client that cannot be told from others has no tasks of its own to come back for. */
function offered(
  runtime: ServerRuntime,
  revision: Revision,
  { id, principal }: InitializeInput,
): ServerCapabilities {
  const { tasks, ...others } = runtime.capabilities(revision)
  return tasks === undefined || (id === '' && principal === ANONYMOUS) ? others : { ...others, tasks }
}

interface Facts {
  readonly version: string
  readonly client: SessionRecord['client']
}

function readFacts(params: JsonObject = {}): Facts | string {
  const { protocolVersion, capabilities, clientInfo } = params
  if (typeof protocolVersion !== 'string') return 'initialize needs params.protocolVersion, a string'
  if (capabilities !== undefined && !isObject(capabilities)) return 'params.capabilities must be an object'
  if (clientInfo !== undefined && !isObject(clientInfo)) return 'params.clientInfo must be an object'
  const facts = (info: JsonObject | undefined): SessionRecord['client'] => ({
    capabilities: capabilities ?? {},
    ...(info === undefined ? {} : { info: info as unknown as Implementation }),
  })
  const client = [facts(clientInfo), facts(withoutIcons(clientInfo))].find(fits)
  if (client === undefined) return 'params.capabilities and params.clientInfo are too large'
  return { version: protocolVersion, client }
}

const fits = (client: SessionRecord['client']): boolean => JSON.stringify(client).length <= MAX_CLIENT_FACTS

/** Icons may be whole images, as `data:` addresses. A client should not be turned away for its looks. */
function withoutIcons(info: JsonObject | undefined): JsonObject | undefined {
  return info === undefined ? undefined : { ...info, icons: undefined }
}
