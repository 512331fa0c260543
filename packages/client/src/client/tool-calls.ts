import { type CallToolResult, ErrorCode, type JsonObject, McpError, Method } from '@jetway/core/protocol'
import { OutputValidator } from '../validation/output-validator.ts'
import { type Lists, TOOLS } from './lists.ts'
import type { RequestOptions } from './options.ts'
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

  /** A refused call is sent again if the client learns why. */
  async #send(name: string, args: JsonObject, extra: JsonObject, options: RequestOptions) {
    const requests = this.#requests
    const { tools } = this.#lists
    requests.require('tools')
    const asTask = (): boolean => 'task' in extra || (this.#tasks.canAsk && tools.needsTask(name))
    const send = (): Promise<JsonObject> => {
      const params = { name, arguments: args, ...(asTask() && { task: {} }), ...extra }
      return requests.inRounds(Method.CallTool, params, options, tools.headersFor(name, args))
    }
    const sentAsTask = asTask()
    try {
      return await send()
    } catch (error) {
      if (!(error instanceof McpError)) throw error
      const { signal } = options
      const relist = () => this.#lists.all(TOOLS, signal === undefined ? {} : { signal })
      if (this.#tasks.areMissing(error)) requests.options.tasks = true
      // The tool has changed since it was listed.
      else if (error.code === ErrorCode.HeaderMismatch && requests.hasHeaders) await relist()
      // https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#tool-level-negotiation
      else if (error.code === ErrorCode.MethodNotFound && this.#tasks.canAsk && !sentAsTask) {
        await relist()
        if (!asTask()) throw error
      } else throw error
      return await send()
    }
  }
}
