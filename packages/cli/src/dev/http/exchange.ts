import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  classify,
  isRequestId,
  type JsonRpcRequest,
  type JsonRpcResponse,
  Method,
  Notification,
} from '@jetway/core/protocol'
import { WAIT_MS } from '../held-messages.ts'
import { ProcessEnded } from '../conversation/lists.ts'
import { busyAnswer, downAnswer, lostAnswer } from '../conversation/restart-answers.ts'
import type { Caller, Refusal } from './open-session.ts'
import { endToEnd, type HttpProcess, NotDelivered, readWhole } from './process-http.ts'
import { type Session, withId } from './session.ts'
import { eventsOf, publicEventId, SseOutput } from './sse.ts'

/** The part of the relay that an exchange needs. */
export interface ExchangeRelay {
  /** Whether the maximum number of requests are waiting for a process. */
  readonly full: boolean
  /** Resolves to the process for new requests, or to undefined if no process is available within 10 s. */
  process(): Promise<HttpProcess | undefined>
  isCurrent(process: HttpProcess): boolean
  opened(id: string, process: HttpProcess, caller: Caller): Session
  closed(session: Session): void
}

/** A POST request with messages. */
export interface Posted {
  readonly response: ServerResponse
  readonly caller: Caller
  readonly text: Buffer
  /** One message, or a batch. */
  readonly value: unknown
  readonly session: Session | undefined
}

/** The delay between attempts to deliver a request, in ms. */
const REPEAT_MS = 50
const MAX_REPLY = 64 * 1024 * 1024

/**
 * Relays one POST request and its reply. Each request receives exactly one response, even if the process exits.
 */
export class Exchange {
  readonly #relay: ExchangeRelay
  readonly #posted: Posted
  /** The requests that have not received a response. */
  readonly #waiting = new Map<string, JsonRpcRequest>()
  readonly #abort = new AbortController()
  readonly #deadline = Date.now() + WAIT_MS
  #session: Session | undefined
  #process: HttpProcess | undefined

  constructor(relay: ExchangeRelay, posted: Posted) {
    this.#relay = relay
    this.#posted = posted
    this.#session = posted.session
    for (const message of messagesOf(posted.value)) {
      const incoming = classify(message)
      if (incoming.kind === 'request')
        this.#waiting.set(JSON.stringify(incoming.message.id), incoming.message)
    }
    posted.response.once('close', () => this.#abort.abort())
  }

  /** Returns whether one of this exchange's requests has not received a response yet. */
  waitsFor(key: string, session: Session): boolean {
    return this.#session === session && this.#waiting.has(key)
  }

  /** The process that received the messages. */
  get process(): HttpProcess | undefined {
    return this.#process
  }

  /** @param process - the process that should receive the messages; undefined for the current process */
  async run(process: HttpProcess | undefined): Promise<void> {
    if (process === undefined && this.#relay.full) return this.#answerAll(busyAnswer)
    const target = process ?? (await this.#relay.process())
    if (target === undefined) return this.#answerAll(downAnswer)
    this.#process = target
    const end = target.begin()
    try {
      await this.#relayTo(target)
    } catch (error) {
      if (!(error instanceof ProcessEnded)) throw error
      if (this.#abort.signal.aborted) return
      const mayRepeat = process === undefined && (error instanceof NotDelivered || this.#isInitialize())
      if (!mayRepeat) return this.#answerAll(lostAnswer)
      end()
      if (Date.now() > this.#deadline) return this.#answerAll(downAnswer)
      await sleep(REPEAT_MS)
      return await this.run(undefined)
    } finally {
      end()
    }
  }

  async #relayTo(process: HttpProcess): Promise<void> {
    const { response } = this.#posted
    let { caller } = this.#posted
    if (this.#session !== undefined) {
      const id = await this.#session.idOn(process, caller)
      if (typeof id !== 'string') return this.#refuse(id)
      caller = withId(caller, id)
    }
    const { path, headers } = caller
    const body = this.#body()
    const reply = await process.send({ method: 'POST', path, headers, body, signal: this.#abort.signal })
    this.#noteHead(reply, process, caller)
    const type = reply.headers['content-type'] ?? ''
    if (type.startsWith('text/event-stream')) return this.#stream(reply, process)
    const text = await readWhole(reply, MAX_REPLY).catch(() => {
      throw new ProcessEnded()
    })
    if (text === undefined) return this.#answerAll(lostAnswer)
    this.#sendHead(reply)
    response.end(type.startsWith('application/json') ? this.#passText(text, process) : text)
  }

  /** Restores the process's own ids in the client's answers to questions. */
  #body(): Buffer | string {
    const { text, value } = this.#posted
    const session = this.#session
    if (session === undefined) return text
    let changed = false
    const messages = messagesOf(value).map((message) => {
      const incoming = classify(message)
      if (incoming.kind !== 'response' || incoming.message.id === undefined) return message
      const question = session.questions.answered(incoming.message.id)
      if (question === undefined) return message
      changed = true
      return { ...incoming.message, id: question.id }
    })
    if (!changed) return text
    return JSON.stringify(Array.isArray(value) ? messages : messages[0])
  }

  #noteHead({ statusCode, headers }: IncomingMessage, process: HttpProcess, caller: Caller): void {
    const id = headers['mcp-session-id']
    if (statusCode === 200 && typeof id === 'string' && this.#isInitialize())
      this.#session = this.#relay.opened(id, process, caller)
    else if (this.#session === undefined) return
    else if (statusCode === 404) this.#relay.closed(this.#session)
    else if (isInitialized(this.#posted.value)) this.#session.readFirstLists(process, caller)
  }

  #sendHead(reply: IncomingMessage): void {
    const { 'content-length': _length, ...headers } = endToEnd(reply.headers)
    // The process may send its session id in every reply.
    if ('mcp-session-id' in headers && this.#session !== undefined)
      headers['mcp-session-id'] = this.#session.id
    this.#posted.response.writeHead(reply.statusCode ?? 502, headers)
  }

  async #stream(reply: IncomingMessage, process: HttpProcess): Promise<void> {
    this.#sendHead(reply)
    const output = new SseOutput(this.#posted.response)
    const { generation } = process
    for await (const event of eventsOf(reply)) {
      const data = event.data === '' ? '' : this.#passText(event.data, process)
      if (data === undefined) continue
      const id =
        event.id === undefined ? {} : { id: publicEventId({ generation, kind: 'post', id: event.id }) }
      await output.write({ ...event, ...id, data: data.toString() })
    }
    const mayBeResumed = this.#abort.signal.aborted || (reply.complete && this.#relay.isCurrent(process))
    if (mayBeResumed) this.#session?.keepUnanswered(generation, this.#waiting)
    else for (const request of this.#takeWaiting()) await output.message(lostAnswer(request))
    output.end()
  }

  #passText(text: Buffer | string, process: HttpProcess): Buffer | string | undefined {
    return passText(text, { process, session: this.#session, waiting: this.#waiting })
  }

  #isInitialize(): boolean {
    return [...this.#waiting.values()].some(({ method }) => method === Method.Initialize)
  }

  #refuse({ status, headers, body }: Refusal): void {
    if (status === 404 && this.#session !== undefined) this.#relay.closed(this.#session)
    this.#posted.response.writeHead(status, headers).end(body)
  }

  *#takeWaiting(): Iterable<JsonRpcRequest> {
    for (const [key, request] of this.#waiting) {
      this.#waiting.delete(key)
      yield request
    }
  }

  /** Responds in place of the process, whose reply has not begun. */
  #answerAll(answer: (request: JsonRpcRequest) => JsonRpcResponse): void {
    const { response, value } = this.#posted
    const answers = [...this.#takeWaiting()].map(answer)
    if (answers.length === 0) response.writeHead(202).end()
    else
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify(Array.isArray(value) ? answers : answers[0]))
  }
}

const messagesOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value])

/** The conversation to which a process's messages belong. */
export interface Context {
  readonly process: HttpProcess
  readonly session: Session | undefined
  /** The requests that have not received a response. */
  readonly waiting: Map<string, JsonRpcRequest>
}

/**
 * Converts text from a process to the form that the client expects. Returns undefined if the client must not
 * receive it.
 */
export function passText(text: Buffer | string, context: Context): Buffer | string | undefined {
  let value: unknown
  try {
    value = JSON.parse(text.toString())
  } catch {
    return text
  }
  const messages = messagesOf(value)
  const passed = messages.map((message) => passMessage(message, context))
  if (passed.every((message, index) => message === messages[index])) return text
  const kept = passed.filter((message) => message !== undefined)
  if (kept.length === 0) return undefined
  return JSON.stringify(Array.isArray(value) ? kept : kept[0])
}

/**
 * Converts a message from a process to the form that the client expects. If it is a response, removes its
 * request from `waiting`.
 */
function passMessage(message: unknown, { process, session, waiting }: Context): unknown {
  const { generation } = process
  const incoming = classify(message)
  if (incoming.kind === 'response') {
    const key = JSON.stringify(incoming.message.id)
    const request = waiting.get(key)
    waiting.delete(key)
    if (request !== undefined && 'result' in incoming.message)
      session?.replay.succeeded(request, incoming.message.result)
    return message
  }
  if (session === undefined) return message
  if (incoming.kind === 'request') return session.questions.asked(generation, incoming.message)
  if (incoming.kind !== 'notification') return message
  const { method, params = {} } = incoming.message
  if (method.endsWith('/list_changed')) session.outdate()
  const { requestId } = params
  if (method !== Notification.Cancelled || !isRequestId(requestId)) return message
  return {
    ...incoming.message,
    params: { ...params, requestId: session.questions.cancelled(generation, requestId) },
  }
}

const isInitialized = (value: unknown): boolean => {
  const incoming = classify(value)
  return incoming.kind === 'notification' && incoming.message.method === Notification.Initialized
}
