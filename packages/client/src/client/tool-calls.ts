import { type CallToolResult, ErrorCode, type JsonObject, McpError, Method } from '@jetway/core/protocol'
import { OutputValidator } from '../validation/output-validator.ts'
import type { KnownTools } from './known-tools.ts'
import { type Lists, LISTS } from './lists.ts'
import type { RequestOptions } from './options.ts'
import type { RequestSender } from './request-sender.ts'
import { readToolResult } from './results.ts'
import type { ClientTask, Tasks } from './tasks.ts'

export interface ToolCallsOptions {
  readonly requests: RequestSender
  readonly tools: KnownTools
  readonly lists: Lists
  readonly tasks: Tasks
  readonly validateOutput: boolean
  readonly onError: (error: Error) => void
}

export class ToolCalls {
  readonly #options: ToolCallsOptions
  readonly #outputs: OutputValidator

  constructor(options: ToolCallsOptions) {
    this.#options = options
    this.#outputs = new OutputValidator(options.onError)
  }

  async call(name: string, args: JsonObject, options: RequestOptions): Promise<CallToolResult> {
    const { tools, tasks, validateOutput } = this.#options
    const sent = await this.#send(name, args, {}, options)
    const result = readToolResult(await tasks.resultOf(sent, options))
    if (validateOutput) await this.#outputs.check(name, tools.outputSchema(name), result)
    return result
  }

  async start(
    name: string,
    args: JsonObject,
    { ttlMs, ...options }: RequestOptions & { readonly ttlMs?: number },
  ): Promise<ClientTask> {
    const { tasks } = this.#options
    return tasks.from(await this.#send(name, args, tasks.params(ttlMs), options))
  }

  /** If the server refuses the headers, the tool has changed since it was listed: list again and send again. */
  async #send(
    name: string,
    args: JsonObject,
    extra: JsonObject,
    options: RequestOptions,
  ): Promise<JsonObject> {
    const { requests, tools, lists } = this.#options
    requests.require('tools')
    const params = { name, arguments: args, ...extra }
    const send = (): Promise<JsonObject> =>
      requests.inRounds(Method.CallTool, params, options, tools.headersFor(name, args))
    try {
      return await send()
    } catch (error) {
      const mismatch = error instanceof McpError && error.code === ErrorCode.HeaderMismatch
      if (!mismatch || !requests.hasHeaders) throw error
      await lists.all(LISTS.tools, options.signal === undefined ? {} : { signal: options.signal })
      return await send()
    }
  }
}
