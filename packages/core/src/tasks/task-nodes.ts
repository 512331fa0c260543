import { isObject, type JsonObject } from '../protocol/jsonrpc.ts'
import { type Nodes, sendSurely } from '../stores/nodes.ts'
import type { TaskKey, TaskRecord } from '../stores/task-store.ts'
import type { Clock } from '../util/clock.ts'
import type { Logger } from '../util/logger.ts'
import { attempt, type Awaitable } from '../util/promises.ts'

/** A message about a task, sent to the node that runs it. */
export type TaskMail =
  /** The task has reached its final state, so its handler is no longer needed. */
  | { readonly kind: 'cancelled' }
  /** Responses to the task's questions, keyed by question. */
  | { readonly kind: 'answers'; readonly responses: Readonly<Record<string, JsonObject>> }

type TaskNodesOptions = { readonly clock: Clock; readonly logger: Logger }

/** The nodes on which tasks run. Joins the other nodes when the first task starts. */
export class TaskNodes {
  readonly #nodes: Nodes
  readonly #options: TaskNodesOptions
  readonly #onMail: (key: TaskKey, mail: TaskMail) => void
  #leaving: Promise<() => Awaitable<void>> | undefined
  #joined = false

  constructor(nodes: Nodes, options: TaskNodesOptions, onMail: (key: TaskKey, mail: TaskMail) => void) {
    this.#nodes = nodes
    this.#options = options
    this.#onMail = onMail
  }

  /** The id of this node. */
  get id(): string {
    return this.#nodes.id
  }

  /** Announces this node to the others. Returns undefined if it has already done so. */
  ready(): Promise<void> | undefined {
    return this.#joined ? undefined : this.#join()
  }

  /**
   * Sends a message to the node that runs a task. Retries for 3 s. Resolves to false if that node is this one
   * or has stopped, or if the message may not have arrived.
   */
  send({ node, owner, taskId }: TaskRecord, mail: TaskMail): Awaitable<boolean> {
    if (node === undefined || node === this.id) return false
    const message = { task: { owner, taskId }, mail }
    return attempt(() => sendSurely(this.#nodes, this.#options.clock, node, message), this.#failed)
  }

  /**
   * Resolves to true if the node that runs a task has stopped, and to false if the node is running or its
   * state is unknown.
   */
  hasStopped({ node }: TaskRecord): Awaitable<boolean> {
    if (node === undefined || node === this.id) return false
    return attempt(async () => (await this.#nodes.alive([node]))[0] === false, this.#failed)
  }

  readonly #failed = (err: unknown): boolean => {
    this.#options.logger.error({ err }, 'The node of a task could not be reached')
    return false
  }

  async leave(): Promise<void> {
    const leaving = this.#leaving
    this.#leaving = undefined
    this.#joined = false
    try {
      const leave = await leaving
      await leave?.()
    } catch (error) {
      this.#options.logger.error({ err: error }, 'A node could not leave the others. Its lease expires')
    }
  }

  async #join(): Promise<void> {
    const joining = (this.#leaving ??= Promise.resolve(this.#nodes.join((message) => this.#receive(message))))
    try {
      await joining
      this.#joined = true
    } catch (error) {
      if (this.#leaving === joining) this.#leaving = undefined
      throw error
    }
  }

  #receive({ task, mail }: JsonObject): void {
    if (!isObject(task) || !isObject(mail)) return
    const { owner, taskId } = task
    const { kind, responses } = mail
    if (typeof owner !== 'string' || typeof taskId !== 'string') return
    const key = { owner, taskId }
    if (kind === 'cancelled') this.#onMail(key, { kind })
    else if (kind === 'answers' && isObject(responses) && Object.values(responses).every(isObject))
      this.#onMail(key, { kind, responses: responses as Readonly<Record<string, JsonObject>> })
  }
}
