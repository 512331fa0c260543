import { type CallToolResult, ErrorCode, type JsonObject, McpError, Method } from '@jetway/core/protocol'
import { OutputValidator } from '../validation/output-validator.ts'
import { type Lists, TOOLS } from './lists.ts'
import type { RequestOptions } from '../options/options.ts'
import type { RequestSender } from './request-sender.ts'
import { readToolResult } from './results.ts'
import type { ClientTask, Tasks } from './tasks.ts'

export class ToolCalls {
  readonly #requests: RequestSender
  readonly #lists: Lists
  readonly #tasks: Tasks
  readonly #outputs: OutputValidator

  constructor(requests: RequestSender, lists: Lists, tasks: Tasks) {
    this.#requests = requests
    this.#lists = lists
    this.#tasks = tasks
    this.#outputs = new OutputValidator(requests.onError)
  }

  async call(name: string, args: JsonObject, options: RequestOptions): Promise<CallToolResult> {
    const sent = await this.#send(name, args, {}, options)
    const result = readToolResult(await this.#tasks.resultOf(sent, options))
    if (this.#requests.options.validateOutput)
      await this.#outputs.check(name, this.#lists.tools.outputSchema(name), result)
    return result
  }

  async start(
    name: string,
    args: JsonObject,
    { ttlMs, ...options }: RequestOptions & { readonly ttlMs?: number },
  ): Promise<ClientTask> {
    return this.#tasks.from(await this.#send(name, args, this.#tasks.params(ttlMs), options))
  }

  /** Sends a call, and repeats it once if the error tells the client what to change. */
  async #send(name: string, args: JsonObject, extra: JsonObject, options: RequestOptions) {
    const requests = this.#requests
    requests.require('tools')
    const send = (): Promise<JsonObject> => {
      const params = { name, arguments: args, ...(this.#mustBeTask(name) && { task: {} }), ...extra }
      return requests.inRounds(Method.CallTool, params, options, this.#lists.tools.headersFor(name, args))
    }
    const asTask = 'task' in extra || this.#mustBeTask(name)
    try {
      return await send()
    } catch (error) {
      if (!(error instanceof McpError) || !(await this.#learn(error, { name, asTask }, options))) throw error
      return await send()
    }
  }

  #mustBeTask(name: string): boolean {
    return this.#tasks.canAsk && this.#lists.tools.needsTask(name)
  }

  /** Updates what is known about a tool from the error of a call. @returns whether another attempt may succeed */
  async #learn(
    error: McpError,
    { name, asTask }: { readonly name: string; readonly asTask: boolean },
    { signal }: RequestOptions,
  ): Promise<boolean> {
    const requests = this.#requests
    if (this.#tasks.areMissing(error)) {
      requests.options.tasks = true
      return true
    }
    // The tool has changed since it was listed.
    const isOutdated = error.code === ErrorCode.HeaderMismatch && requests.hasHeaders
    // https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#tool-level-negotiation
    const maySayTask = error.code === ErrorCode.MethodNotFound && this.#tasks.canAsk && !asTask
    if (!isOutdated && !maySayTask) return false
    await this.#lists.all(TOOLS, signal === undefined ? {} : { signal })
    return isOutdated || this.#mustBeTask(name)
  }
}
