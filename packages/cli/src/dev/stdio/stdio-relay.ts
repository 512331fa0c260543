import {
  classify,
  isObject,
  type JsonRpcMessage,
  type JsonRpcRequest,
  Method,
  Notification,
} from '@jetway/core/protocol'
import type { StdioTransport } from '@jetway/stdio'
import { StartError } from '../process/child.ts'
import { ChildLink } from './child-link.ts'
import type { ClientSide, ServedProcess } from '../client-side.ts'
import { compareLists, type Lists, ProcessEnded, readLists } from '../conversation/lists.ts'
import { HeldMessages } from '../held-messages.ts'
import { within } from '../conversation/within.ts'
import { Relay } from '../conversation/relay.ts'
import { sessionDifference } from '../conversation/replay.ts'
import { busyAnswer, downAnswer } from '../conversation/restart-answers.ts'

/** The time limit for reading the lists of a process that is being replaced, in ms. */
const OLD_LISTS_MS = 500

/** Relays the messages of one client on stdin and stdout to one process after another. */
export class StdioRelay implements ClientSide {
  /** Resolves when the client has disconnected. */
  readonly ended: Promise<void>
  readonly #client: StdioTransport
  readonly #print: (text: string) => void
  readonly #relay = new Relay()
  readonly #links = new Map<number, ChildLink>()
  readonly #drained = new Map<number, () => void>()
  readonly #held = new HeldMessages((message) => {
    if (isRequest(message)) void this.#toClient(downAnswer(message))
  })
  /** The generation of the most recent process. */
  #latest = 0
  /** The lists of the most recent process, read after the client has initialized the session. */
  #lists: Promise<Lists> | undefined
  /** Whether the most recent process has announced list changes since its lists were read. */
  #outdated = false

  constructor(client: StdioTransport, print: (text: string) => void) {
    this.#client = client
    this.#print = print
    this.ended = new Promise((resolve) => {
      client.start({
        message: (text) => this.#fromClient(text),
        malformed: (reason) => this.#print(`The client sent a message that cannot be read: ${reason}`),
        close: () => resolve(),
      })
    })
  }

  async prepare(child: ServedProcess): Promise<void> {
    const link = this.#link(child)
    const { replay } = this.#relay
    if (replay.initialize === undefined) return
    const result = await link.request(Method.Initialize, replay.initialize).catch((error: unknown) => {
      throw new StartError('failed', `The new code does not take over the session: ${String(error)}`)
    })
    const difference = sessionDifference(replay, result)
    if (difference !== undefined) this.#print(difference)
    void link.send({ jsonrpc: '2.0', method: Notification.Initialized })
    link.settings = replay.settings()
    for (const { method, params = {} } of link.settings) link.request(method, params).catch(() => {})
  }

  use(child: ServedProcess): void {
    const link = this.#link(child)
    const old = this.#links.get(this.#latest)
    this.#latest = child.generation
    for (const request of this.#relay.moveTo(child.generation)) void link.send(request)
    for (const { method, params = {} } of this.#relay.replay.settingsSince(link.settings))
      link.request(method, params).catch(() => {})
    for (const { text, message } of this.#held.takeAll()) void this.#pass(text, message)
    if (this.#lists === undefined) return
    const before =
      this.#outdated && old !== undefined ? within(OLD_LISTS_MS, this.#readLists(old)) : this.#lists
    this.#outdated = false
    this.#lists = this.#announce(before, link)
  }

  drained(child: ServedProcess): Promise<void> {
    this.#relay.leave(child.generation)
    return new Promise((resolve) => {
      this.#drained.set(child.generation, resolve)
      this.#settle(child.generation)
    })
  }

  lost(child: ServedProcess): void {
    const { generation } = child
    this.#links.get(generation)?.fail(new ProcessEnded())
    this.#links.delete(generation)
    this.#drained.delete(generation)
    const { toClient, again } = this.#relay.lost(generation)
    for (const message of toClient) void this.#toClient(message)
    for (const request of again) void this.#hold(JSON.stringify(request), request)
  }

  /** Disconnects as soon as the client has received all responses, but at the latest after this time, in ms. */
  async finish(ms: number): Promise<void> {
    const { current } = this.#relay
    if (current !== undefined) {
      const answered = new Promise<void>((resolve) => {
        this.#drained.set(current, resolve)
        this.#settle(current)
      })
      await within(ms, answered).catch(() => {})
    }
    await this.#client.close()
  }

  #link(child: ServedProcess): ChildLink {
    const { generation } = child
    const known = this.#links.get(generation)
    if (known !== undefined) return known
    const link = new ChildLink(child, {
      message: (text, value) => this.#fromProcess(generation, text, value),
      stray: (text) => this.#print(`The server wrote to stdout, which carries the protocol: ${text}`),
    })
    this.#links.set(generation, link)
    return link
  }

  #fromClient(text: string): void | Promise<void> {
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch {
      // The server responds to an invalid message.
      return this.#links.get(this.#relay.current ?? 0)?.sendText(text)
    }
    if (!Array.isArray(value)) return this.#pass(text, value)
    // Revision 2025-03-26 has batches. The messages in a batch may belong to different processes.
    for (const message of value) void this.#pass(JSON.stringify(message), message)
  }

  /** Sends a client's message to the process to which it belongs. */
  #pass(text: string, message: unknown): void | Promise<void> {
    if (this.#relay.full && isRequest(message)) return this.#toClient(busyAnswer(message))
    const routed = this.#relay.fromClient(message)
    if (routed === undefined) return
    if (routed.generation === undefined) return this.#hold(text, message)
    const link = this.#links.get(routed.generation)
    const sent = link?.sendText(routed.message === message ? text : JSON.stringify(routed.message))
    if (link !== undefined) this.#readFirstLists(link, message)
    return sent
  }

  #fromProcess(generation: number, text: string, value: unknown): void | Promise<void> {
    const passed = Array.isArray(value)
      ? value.map((message) => this.#relay.fromProcess(generation, message)).filter((it) => it !== undefined)
      : this.#relay.fromProcess(generation, value)
    this.#settle(generation)
    if (passed === undefined || (Array.isArray(passed) && passed.length === 0)) return
    if (generation === this.#latest && isListChange(value)) this.#outdated = true
    return this.#client.send(passed === value ? text : JSON.stringify(passed))
  }

  #toClient(message: JsonRpcMessage): void | Promise<void> {
    return this.#client.send(JSON.stringify(message))
  }

  /** Holds a message until a process is serving. */
  #hold(text: string, message: unknown): void | Promise<void> {
    if (!this.#held.add(text, message) && isRequest(message)) return this.#toClient(busyAnswer(message))
  }

  #settle(generation: number): void {
    if (this.#drained.has(generation) && this.#relay.inFlight(generation) === 0)
      this.#drained.get(generation)?.()
  }

  /** Reads the lists from the first process, to compare them after a restart. */
  #readFirstLists(link: ChildLink, message: unknown): void {
    if (this.#lists !== undefined || !isObject(message)) return
    if (message['method'] !== Notification.Initialized && this.#relay.meta === undefined) return
    this.#lists = this.#readLists(link)
    // The process may exit before it responds.
    this.#lists.catch(() => {})
  }

  #readLists(link: ChildLink): Promise<Lists> {
    const { meta } = this.#relay
    const common = meta === undefined ? {} : { _meta: meta }
    return readLists((method, params) => link.request(method, { ...params, ...common }))
  }

  /** Compares the lists of a new process with the previous ones, and notifies the client. */
  async #announce(old: Promise<Lists>, link: ChildLink): Promise<Lists> {
    const before = await old.catch((): Lists => new Map())
    const after = await this.#readLists(link).catch(() => undefined)
    // The process has exited, so the lists of the next process are compared with the previous ones.
    if (after === undefined) return before
    const { kinds, lines } = compareLists(before, after)
    for (const line of lines) this.#print(line)
    for (const kind of kinds) {
      const notifications = this.#relay.listChanged(kind)
      for (const notification of notifications) void this.#toClient(notification)
      if (notifications.length === 0)
        this.#print(`The client has no subscription to changes of ${kind}: it may have to reconnect`)
    }
    return after
  }
}

const isRequest = (value: unknown): value is JsonRpcRequest => classify(value).kind === 'request'

const isListChange = (value: unknown): boolean =>
  isObject(value) && typeof value['method'] === 'string' && value['method'].endsWith('/list_changed')
