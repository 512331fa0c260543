import {
  CLIENT_CAPABILITIES,
  CLIENT_INFO,
  encodeHeaderText,
  ErrorCode,
  isObject,
  type JsonObject,
  type JsonRpcNotification,
  LOG_LEVEL,
  type LogLevel,
  McpError,
  Method,
  PROTOCOL_VERSION,
  type Revision,
  SERVER_INFO,
} from '@jetway/core/protocol'
import type { Clock } from '@jetway/core/stores'
import type { Ask, Conversation } from '../conversation/conversation.ts'
import { UnsupportedRevisionError } from '../errors.ts'
import { capabilitiesFor } from './capabilities.ts'
import { factsOf, type Introduction, readInfo, textsIn } from './legacy-side.ts'
import { Listening } from './listening.ts'
import type { ListKind, ServerFacts, Side } from './side.ts'

export interface ModernSideOptions extends Introduction {
  readonly clock: Clock
  readonly onError: (error: Error) => void
  /** What was told between two subscriptions is lost: everything may have changed. */
  readonly onGap: () => void
}

/** What a server has said when it was asked which versions it speaks. */
export interface Discovered {
  readonly revision: Revision
  readonly server: ServerFacts
}

/**
 * Asks a server what it speaks, in the newest way; once more where it names another version.
 *
 * @throws UnsupportedRevisionError where there is no version in common
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/discover
 */
export async function discover(
  conversation: Conversation,
  options: Introduction,
  how: Ask & {
    /** Hears of an answer that will do, before anything that has come after it is looked at. */
    readonly onAnswer?: () => void
  },
): Promise<Discovered> {
  const [newest] = options.revisions
  if (newest === undefined)
    throw new UnsupportedRevisionError('No revision without sessions is to be spoken', [])
  const shared = ({ supportedVersions: offered }: JsonObject): Revision | undefined =>
    Array.isArray(offered) ? options.revisions.find(({ version }) => offered.includes(version)) : undefined
  const result = await atVersion(conversation, options.revisions, newest, async (revision) => {
    conversation.revision = revision
    const headers = headersFor(conversation, Method.Discover, {})
    const params = { _meta: metaFor(revision, options, undefined) }
    const answer = await conversation.request(Method.Discover, params, { ...how, ...headers })
    if (shared(answer) !== undefined) how.onAnswer?.()
    return answer
  })
  const offered = textsIn(result['supportedVersions'], Method.Discover)
  const revision = shared(result)
  if (revision === undefined) throw noneOf(offered, options.revisions)
  const { _meta: meta } = result
  const facts = factsOf(result)
  return {
    revision,
    server: { ...facts, info: (isObject(meta) ? readInfo(meta[SERVER_INFO]) : undefined) ?? facts.info },
  }
}

const noneOf = (offered: readonly string[], ours: readonly Revision[]): UnsupportedRevisionError =>
  new UnsupportedRevisionError(
    `The server speaks ${offered.slice(0, 8).join(', ')}, and this client ${ours.map(({ version }) => version).join(', ')}`,
    offered,
  )

/** Runs at a version, and once more at the one that the server would rather have. */
async function atVersion(
  conversation: Conversation,
  revisions: readonly Revision[],
  first: Revision,
  run: (revision: Revision) => Promise<JsonObject>,
): Promise<JsonObject> {
  try {
    return await run(first)
  } catch (error) {
    if (!(error instanceof McpError) || error.code !== ErrorCode.UnsupportedProtocolVersion) throw error
    const supported: unknown = isObject(error.data) ? error.data['supported'] : undefined
    const offered = Array.isArray(supported) ? supported.filter((each) => typeof each === 'string') : []
    const shared = revisions.find(({ version }) => offered.includes(version))
    if (shared === undefined) throw noneOf(offered, revisions)
    conversation.revision = shared
    return await run(shared)
  }
}

function metaFor(
  revision: Revision,
  { info, options }: Introduction,
  level: LogLevel | undefined,
): JsonObject {
  return {
    [PROTOCOL_VERSION]: revision.version,
    [CLIENT_CAPABILITIES]: capabilitiesFor(revision, options),
    [CLIENT_INFO]: revision.projectImplementation(info),
    ...(level !== undefined && { [LOG_LEVEL]: level }),
  }
}

/** What of the parameters `Mcp-Name` repeats, by method. */
const NAMED_BY = ['name', 'uri', 'taskId'] as const

/** https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#standard-request-headers */
function headersFor(
  { transport }: Conversation,
  method: string,
  params: JsonObject,
  more?: Readonly<Record<string, string>>,
): Pick<Ask, 'headers'> {
  if (!transport.perRequest) return {}
  const name = NAMED_BY.map((member) => params[member]).find((value) => typeof value === 'string')
  return {
    headers: {
      'Mcp-Method': encodeHeaderText(method),
      ...(typeof name === 'string' && { 'Mcp-Name': encodeHeaderText(name) }),
      ...more,
    },
  }
}

/** The side of servers without sessions: every request says by itself who sends it, and in which version. */
export class ModernSide implements Side {
  readonly answersRequests = false
  readonly server: ServerFacts
  readonly #conversation: Conversation
  readonly #options: ModernSideOptions
  readonly #listening: Listening
  #revision: Revision
  #level: LogLevel | undefined

  constructor(conversation: Conversation, options: ModernSideOptions, { revision, server }: Discovered) {
    this.#conversation = conversation
    this.#options = options
    this.#revision = conversation.revision = revision
    this.server = server
    this.#listening = new Listening({
      clock: options.clock,
      timeoutMs: options.timeoutMs,
      capabilities: server.capabilities,
      request: (params, how) => this.request(Method.Listen, params, how),
      onError: options.onError,
      onGap: options.onGap,
    })
    conversation.transport.agreed?.(revision)
  }

  get revision(): Revision {
    return this.#revision
  }

  request(method: string, params: JsonObject = {}, how: Ask): Promise<JsonObject> {
    const own = params['_meta']
    const headers = headersFor(this.#conversation, method, params, how.headers)
    return atVersion(this.#conversation, this.#options.revisions, this.#revision, (revision) => {
      this.#revision = revision
      const meta = { ...(isObject(own) ? own : {}), ...metaFor(revision, this.#options, this.#level) }
      return this.#conversation.request(method, { ...params, _meta: meta }, { ...how, ...headers })
    })
  }

  /** Goes with every request from now on. */
  setLogLevel(level: LogLevel): Promise<void> {
    this.#level = level
    return Promise.resolve()
  }

  subscribe(uri: string): Promise<void> {
    return this.#listening.addUri(uri)
  }

  unsubscribe(uri: string): Promise<void> {
    return this.#listening.removeUri(uri)
  }

  wantLists(kinds: ReadonlySet<ListKind>): void {
    this.#listening.wantLists(kinds)
  }

  hears(message: JsonRpcNotification): boolean {
    return this.#listening.hears(message)
  }

  close(): void {
    this.#listening.close()
  }
}
