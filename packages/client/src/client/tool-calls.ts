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

  /** If the server refuses the headers, the tool has changed since it was listed: list again and send again. */
  async #send(name: string, args: JsonObject, extra: JsonObject, options: RequestOptions) {
    const requests = this.#requests
    requests.require('tools')
    const params = { name, arguments: args, ...extra }
    const send = () =>
      requests.inRounds(Method.CallTool, params, options, this.#lists.tools.headersFor(name, args))
    try {
      return await send()
    } catch (error) {
      const mismatch = error instanceof McpError && error.code === ErrorCode.HeaderMismatch
      if (!mismatch || !requests.hasHeaders) throw error
      await this.#lists.all(TOOLS, options.signal === undefined ? {} : { signal: options.signal })
      return await send()
    }
  }
}
