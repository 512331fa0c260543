import {
  Client,
  type ClientHandlers,
  type ClientOptions,
  duplex,
  type ElicitResult,
  type ElicitRequest,
  type ElicitUrlRequest,
  type HandlerContext,
  type Root,
  type SampleResult,
  type SampleRequest,
} from '@jetway/client'
import type { AuthInfo, McpServer } from '@jetway/core'
import {
  type JsonRpcNotification,
  type LogLevel,
  Notification,
  REVISIONS,
  type RevisionDate,
} from '@jetway/core/protocol'
import { createMemoryTransportPair } from '@jetway/core/transport'
import { Notifications, type ParamsMatch } from './notifications.ts'

/** A handler function, or a list that contains one answer per question. */
type Scripted<Handler, Answer> = Handler | readonly Answer[]

/** The answers of the test client, which declares only the capabilities for which it has answers. */
export interface ScriptedAnswers {
  /** Answers form elicitation requests. */
  readonly elicit?: Scripted<NonNullable<ClientHandlers['elicit']>, ElicitResult>
  /** Answers URL elicitation requests. */
  readonly elicitUrl?: Scripted<NonNullable<ClientHandlers['elicitUrl']>, ElicitResult['action']>
  /** Answers sampling requests. A string is the model's reply. */
  readonly sample?: Scripted<NonNullable<ClientHandlers['sample']>, string | SampleResult>
  /** The roots that every roots request returns. */
  readonly roots?: ClientHandlers['roots'] | readonly string[]
}

/** The options of {@link connect}. */
export interface ConnectOptions extends Omit<ClientOptions, 'revisions' | 'handlers' | 'eras'> {
  /** @default the newest revision that the server supports */
  readonly revision?: RevisionDate
  /** The caller's auth info, as an `authenticate` hook would return it. @default none */
  readonly auth?: AuthInfo
  readonly handlers?: ScriptedAnswers
}

/** The app's own data. Required if the server's handlers use `ctx.locals`. */
type Connecting<Locals> = unknown extends Locals
  ? [options?: ConnectOptions & { readonly locals?: Locals }]
  : [options: ConnectOptions & { readonly locals: Locals }]

/** One question from the server, as the handler received it. */
export type AskedQuestion =
  | { readonly kind: 'elicit'; readonly request: ElicitRequest }
  | { readonly kind: 'elicitUrl'; readonly request: ElicitUrlRequest }
  | { readonly kind: 'sample'; readonly request: SampleRequest }
  | { readonly kind: 'roots' }

/** A client that keeps all notifications and questions that it receives. */
export class TestClient extends Client {
  readonly #notifications = new Notifications()
  /** All notifications so far, in order, except progress, which is passed to the `onProgress` of its call. */
  readonly notifications: readonly JsonRpcNotification[] = this.#notifications.received
  /** All questions so far, in order. */
  readonly asked: readonly AskedQuestion[]
  readonly #declared: readonly string[]
  /** Resolves when the client has subscribed to list changes, in revisions that require a subscription. */
  readonly #listening: Promise<void>
  readonly #subscribed = new Set<string>()
  #hasLogLevel = false
  /** Errors outside calls: invalid messages, answers with an invalid shape, or too few scripted answers. */
  readonly problems: Error[] = []

  constructor({ revision, handlers = {}, ...options }: ConnectOptions) {
    const asked: AskedQuestion[] = []
    super(
      { name: 'jetway-testing', version: '0.0.0' },
      {
        ...options,
        ...(revision !== undefined && { revisions: [revision] }),
        handlers: toHandlers(handlers, (question) => asked.push(question)),
      },
    )
    this.asked = asked
    this.#declared = Object.keys(options.capabilities?.extensions ?? {})
    this.#listening = new Promise((resolve) => {
      this.on('changesMissed', resolve)
      this.on('error', (error) => {
        this.problems.push(error)
        resolve()
      })
    })
    this.on('notification', (notification) => {
      this.#notifications.add(notification)
    })
  }

  override async connect(...args: Parameters<Client['connect']>): Promise<this> {
    await super.connect(...args)
    if (this.#hasToSubscribe && this.#serverHasLists) await this.#listening
    return this
  }

  override async setLogLevel(level: LogLevel): Promise<void> {
    this.#hasLogLevel = true
    await super.setLogLevel(level)
  }

  /**
   * Resolves to the first notification that matches, even if it has already arrived. With `cause`, resolves
   * to the first one that arrives after the cause has begun. If the revision requires it, the client first
   * subscribes: to the resource with the `uri` in `match`, to the extensions that the client declares, and to
   * log messages of all levels if the test has not set a level.
   *
   * @param match - the properties that the notification's params must have, or a function that returns
   * whether it matches
   * @param cause - runs when the client has subscribed
   */
  async notification(
    method: string,
    match?: ParamsMatch,
    cause?: () => unknown,
  ): Promise<JsonRpcNotification> {
    const known = cause === undefined ? this.#notifications.find(method, match) : undefined
    if (known !== undefined) return known
    await this.#subscribeTo(method, match)
    if (cause === undefined) return this.#notifications.next(method, match)
    const next = this.#notifications.later(method, match)
    await cause()
    return next
  }

  async #subscribeTo(method: string, match: ParamsMatch | undefined): Promise<void> {
    const uri = typeof match === 'object' ? match['uri'] : undefined
    if (method === Notification.Message) await this.#receiveLogs()
    else if (method === Notification.ResourceUpdated && typeof uri === 'string')
      await this.#once(uri, () => this.subscribe(uri))
    else if (this.#hasToSubscribe && !KNOWN.has(method))
      for (const id of this.#declared) await this.#once(id, () => this.subscribeExtension(id).catch(() => {}))
  }

  async #receiveLogs(): Promise<void> {
    if (!this.#hasLogLevel && this.server?.capabilities.logging !== undefined) await this.setLogLevel('debug')
  }

  async #once(name: string, subscribe: () => Promise<void>): Promise<void> {
    if (this.#subscribed.has(name)) return
    await subscribe()
    this.#subscribed.add(name)
  }

  get #hasToSubscribe(): boolean {
    return REVISIONS.some(({ era, version }) => era === 'modern' && version === this.server?.protocolVersion)
  }

  get #serverHasLists(): boolean {
    const { tools, resources, prompts } = this.server?.capabilities ?? {}
    return [tools, resources, prompts].some((list) => list?.listChanged === true)
  }
}

const KNOWN: ReadonlySet<string> = new Set(Object.values(Notification))

/**
 * Connects a client to a server in this process. Schemas, middleware and limits work as in production. Close
 * the client, or declare it with `await using`. The server stays open.
 */
export async function connect<Locals>(
  server: McpServer<Locals>,
  ...[options]: Connecting<Locals>
): Promise<TestClient> {
  const [near, far] = createMemoryTransportPair()
  const { auth, locals, ...rest }: ConnectOptions & { readonly locals?: unknown } = options ?? {}
  // The short grace period prevents the server from waiting for calls that a test has abandoned.
  const served = { endGraceMs: 50, locals, ...(auth !== undefined && { auth }) }
  ;(server as McpServer).connect(far, served)
  return new TestClient(rest).connect(duplex(near))
}

function toHandlers(
  { elicit, elicitUrl, sample, roots }: ScriptedAnswers,
  keep: (question: AskedQuestion) => void,
): ClientHandlers {
  return {
    ...(elicit !== undefined && {
      elicit: kept('elicit', elicit, (answer: ElicitResult) => answer, keep),
    }),
    ...(elicitUrl !== undefined && {
      elicitUrl: kept('elicitUrl', elicitUrl, (action: ElicitResult['action']) => ({ action }), keep),
    }),
    ...(sample !== undefined && { sample: kept('sample', sample, toSampleAnswer, keep) }),
    ...(roots !== undefined && {
      roots: (ctx: HandlerContext) => {
        keep({ kind: 'roots' })
        return typeof roots === 'function' ? roots(ctx) : roots.map(toRoot)
      },
    }),
  }
}

/**
 * Returns a handler that records its questions. If the answers are a list, each call of the handler returns
 * the next one.
 */
function kept<Request, Answer, Line>(
  kind: 'elicit' | 'elicitUrl' | 'sample',
  script: ((request: Request, ctx: HandlerContext) => Answer | Promise<Answer>) | readonly Line[],
  toAnswer: (line: Line) => Answer,
  keep: (question: AskedQuestion) => void,
): (request: Request, ctx: HandlerContext) => Answer | Promise<Answer> {
  let next = 0
  return (request, ctx) => {
    keep({ kind, request } as unknown as AskedQuestion)
    if (typeof script === 'function') return script(request, ctx)
    const line = script[next++]
    if (line === undefined)
      throw new Error(`The server asked ${kind} ${next} times, and the test has ${next - 1} answers`)
    return toAnswer(line)
  }
}

const toSampleAnswer = (line: string | SampleResult): SampleResult =>
  typeof line === 'string'
    ? { role: 'assistant', model: 'scripted', content: { type: 'text', text: line }, stopReason: 'endTurn' }
    : line

const toRoot = (root: string | Root): Root => (typeof root === 'string' ? { uri: root } : root)
