import {
  type Implementation,
  isObject,
  type JsonObject,
  type JsonRpcNotification,
  type LogLevel,
  McpError,
  Method,
  Notification,
  type Revision,
} from '@jetway/core/protocol'
import type { Ask, Conversation } from '../conversation/conversation.ts'
import { invalidAnswer, SessionLostError, UnsupportedRevisionError } from '../errors.ts'
import type { ClientOptions } from '../options.ts'
import { capabilitiesFor } from './capabilities.ts'
import type { ServerFacts, Side } from './side.ts'

export interface Introduction {
  readonly info: Implementation
  readonly options: ClientOptions
  /** Newest first, of one era. */
  readonly revisions: readonly Revision[]
  /** Ms that each request of the handshake may take. */
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
}

export interface LegacySideOptions extends Introduction {
  /** The server had lost the session, and there is a new one. */
  readonly onReopened: () => void
}

/** Resources that can be subscribed to at once: they are sent again to a server that has lost the session. */
const MAX_SUBSCRIPTIONS = 1024

/**
 * Opens a session: `initialize`, then `notifications/initialized`.
 *
 * @throws UnsupportedRevisionError where the server answers with a revision that this side does not speak
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle
 */
export async function openLegacy(conversation: Conversation, options: LegacySideOptions): Promise<Side> {
  const opened = await initialize(conversation, options)
  return new LegacySide(conversation, options, opened)
}

/** Goes on with a session that another connection has opened: nothing is sent. */
export function resumeLegacy(conversation: Conversation, options: LegacySideOptions, opened: Opened): Side {
  conversation.revision = opened.revision
  conversation.transport.agreed?.(opened.revision)
  return new LegacySide(conversation, options, opened)
}

/** What the two sides know of each other when a session is open. */
export interface Opened {
  readonly revision: Revision
  readonly server: ServerFacts
}

async function initialize(conversation: Conversation, options: LegacySideOptions): Promise<Opened> {
  const [newest] = options.revisions
  if (newest === undefined)
    throw new UnsupportedRevisionError('No revision with sessions is to be spoken', [])
  conversation.revision = undefined
  const result = await ask(conversation, options, newest)
  options.signal?.throwIfAborted()
  const version = result['protocolVersion']
  const revision = options.revisions.find((each) => each.version === version)
  if (revision === undefined) {
    const named = typeof version === 'string' ? version.slice(0, 64) : undefined
    throw new UnsupportedRevisionError(
      `The server speaks ${named ?? 'no revision that it names'}, and this client ${options.revisions.map((each) => each.version).join(', ')}`,
      named === undefined ? [] : [named],
    )
  }
  conversation.revision = revision
  await conversation.notify(Notification.Initialized)
  conversation.transport.agreed?.(revision)
  return { revision, server: factsOf(result) }
}

/** Some servers name what they speak in an error, rather than answer with it. */
async function ask(
  conversation: Conversation,
  options: LegacySideOptions,
  revision: Revision,
): Promise<JsonObject> {
  const offer = (offered: Revision): Promise<JsonObject> =>
    conversation.request(
      Method.Initialize,
      {
        protocolVersion: offered.version,
        capabilities: capabilitiesFor(offered, options.options),
        clientInfo: offered.projectImplementation(options.info),
      },
      { timeoutMs: options.timeoutMs, signal: options.signal, uncancellable: true },
    )
  try {
    return await offer(revision)
  } catch (error) {
    const data = error instanceof McpError ? error.data : undefined
    const supported: unknown = isObject(data) ? data['supported'] : undefined
    const shared = Array.isArray(supported)
      ? options.revisions.find(({ version }) => version !== revision.version && supported.includes(version))
      : undefined
    if (shared === undefined) throw error
    return await offer(shared)
  }
}

export function factsOf(result: JsonObject): ServerFacts {
  const { capabilities, serverInfo, instructions } = result
  return {
    info: readInfo(serverInfo),
    capabilities: isObject(capabilities) ? capabilities : {},
    instructions: typeof instructions === 'string' ? instructions : undefined,
  }
}

export function readInfo(info: unknown): Implementation | undefined {
  return isObject(info) && typeof info['name'] === 'string' ? (info as unknown as Implementation) : undefined
}

class LegacySide implements Side {
  readonly answersRequests = true
  readonly #conversation: Conversation
  readonly #options: LegacySideOptions
  readonly #uris = new Set<string>()
  #opened: Opened
  #level: LogLevel | undefined
  #reopening: Promise<void> | undefined

  constructor(conversation: Conversation, options: LegacySideOptions, opened: Opened) {
    this.#conversation = conversation
    this.#options = { ...options, signal: undefined }
    this.#opened = opened
  }

  get revision(): Revision {
    return this.#opened.revision
  }
  get server(): ServerFacts {
    return this.#opened.server
  }

  async request(method: string, params: JsonObject | undefined, how: Ask): Promise<JsonObject> {
    await this.#reopening
    try {
      return await this.#conversation.request(method, params, how)
    } catch (error) {
      // It was not processed, so that sending it again does nothing twice.
      if (!(error instanceof SessionLostError)) throw error
      await (this.#reopening ??= this.#reopen()).catch((cause: unknown) => {
        throw new SessionLostError('The server has lost the session, and there is no new one', { cause })
      })
      return await this.#conversation.request(method, params, how)
    }
  }

  async setLogLevel(level: LogLevel): Promise<void> {
    await this.request(Method.SetLogLevel, { level }, this.#how())
    this.#level = level
  }

  async subscribe(uri: string): Promise<void> {
    if (this.#uris.size >= MAX_SUBSCRIPTIONS && !this.#uris.has(uri))
      throw new RangeError(`More than ${MAX_SUBSCRIPTIONS} resources are subscribed to`)
    await this.request(Method.Subscribe, { uri }, this.#how())
    this.#uris.add(uri)
  }

  async unsubscribe(uri: string): Promise<void> {
    this.#uris.delete(uri)
    await this.request(Method.Unsubscribe, { uri }, this.#how())
  }

  /** Changes of lists are told to every session. */
  wantLists(): void {}

  hears(_message: JsonRpcNotification): boolean {
    return false
  }

  close(): void {}

  #how(): Ask {
    return { timeoutMs: this.#options.timeoutMs }
  }

  async #reopen(): Promise<void> {
    try {
      const conversation = this.#conversation
      this.#opened = await initialize(conversation, this.#options)
      if (this.#level !== undefined)
        await conversation.request(Method.SetLogLevel, { level: this.#level }, this.#how())
      for (const uri of this.#uris) await conversation.request(Method.Subscribe, { uri }, this.#how())
    } finally {
      this.#reopening = undefined
    }
    this.#options.onReopened()
  }
}

/** @throws ClientError `invalid-answer` */
export function textsIn(value: unknown, method: string): readonly string[] {
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value
  throw invalidAnswer(method, 'it names no versions')
}
