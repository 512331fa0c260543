import { sanitize, sanitizeLine, type Terminal } from '@jetway-apps/terminal'
import type { TransportFactory } from '@jetway/client'
import type { ServerConfig } from '@jetway/client/config'
import { type HostTool, hostTools } from '@jetway/bridge'
import { type ApprovalRequest, ClientManager } from '@jetway/client/manager'
import { Conversation } from './conversation.ts'
import { type Model, ModelError } from './model/model.ts'
import { createHandlers } from './terminal/questions.ts'

export interface ChatOptions {
  readonly servers: Readonly<Record<string, ServerConfig | TransportFactory>>
  readonly model: Model
  readonly terminal: Terminal
  /** The maximum number of requests to the model per query. */
  readonly maxRounds: number
  /** Whether to call tools without asking the user. */
  readonly yes: boolean
  /** Prints a line that is not part of the conversation. */
  readonly log: (line: string) => void
}

const INFO = { name: 'jetway-chat', title: 'Jetway Chat', version: '0.0.0' }
/** The maximum length of a tool name that the model APIs accept. */
const MAX_NAME = 64
/** The maximum length of each server's instructions for the model, in UTF-16 code units. */
const MAX_INSTRUCTIONS = 4_000
/** The maximum length of a call's arguments on the screen, in UTF-16 code units. */
const MAX_SHOWN_ARGUMENTS = 4_000

/** States how much is hidden, because users must know that they are approving more than they can see. */
function formatArguments(args: Readonly<Record<string, unknown>>): string {
  const json = JSON.stringify(args)
  const more = json.length - MAX_SHOWN_ARGUMENTS
  return `${sanitizeLine(json, MAX_SHOWN_ARGUMENTS)}${more > 0 ? ` and ${more} more characters` : ''}`
}

/** A chat in a terminal between a user and a model that can call tools on MCP servers. */
export class Chat {
  readonly #options: ChatOptions
  readonly #manager: ClientManager
  readonly #conversation: Conversation
  /** The tools that the user always allows. */
  readonly #approved = new Set<string>()
  readonly #ending = new AbortController()
  #currentQuery: AbortController | undefined

  constructor(options: ChatOptions) {
    const { model, maxRounds, terminal } = options
    this.#options = options
    this.#manager = new ClientManager(INFO, {
      maxNameLength: MAX_NAME,
      handlers: createHandlers(terminal, model),
      approve: (approval) => this.#approve(approval),
    })
    this.#conversation = new Conversation({
      model,
      maxRounds,
      tools: () => this.#tools(),
      systemPrompt: () => this.#systemPrompt(),
      onText: (text) => terminal.write(sanitize(text)),
      onReply: () => terminal.write('\n'),
      onNotice: (notice) => terminal.write(`${notice}\n`),
    })
    this.#logEvents()
  }

  /**
   * Connects to the servers, and answers queries until the user quits. Resolves to false if no server could be
   * connected.
   */
  async run(): Promise<boolean> {
    const { servers, terminal, model } = this.#options
    try {
      const { errors } = await this.#manager.connectAll(servers, { signal: this.#ending.signal })
      if (this.#ending.signal.aborted) return true
      for (const { server, error } of errors)
        this.#options.log(
          `Failed to connect to ${sanitizeLine(server, 80)}: ${sanitizeLine(error.message, 500)}`,
        )
      if (this.#manager.names().length === 0) return false
      await this.#printServers()
      terminal.write(`\nTalking to ${model.name}. Type your queries, or 'quit' to exit.\n`)
      await this.#queries()
      return true
    } finally {
      this.end()
      await this.#manager.closeAll()
    }
  }

  /** Whether nothing remains to be done except closing the servers. */
  get isEnding(): boolean {
    return this.#ending.signal.aborted
  }

  /**
   * Handles Ctrl-C by cancelling the current query. If there is none, or if it has already been cancelled, ends
   * the chat.
   */
  interrupt(): void {
    const running = this.#currentQuery
    if (running === undefined || running.signal.aborted) return this.end()
    running.abort(new Error('Cancelled'))
  }

  end(): void {
    this.#ending.abort(new Error('The chat has ended'))
    this.#currentQuery?.abort(this.#ending.signal.reason)
  }

  async #queries(): Promise<void> {
    const { terminal } = this.#options
    const { signal } = this.#ending
    while (!signal.aborted) {
      const query = await terminal.ask('\nQuery: ', { signal, typedAhead: true }).catch(() => undefined)
      if (query === undefined || query.trim().toLowerCase() === 'quit') return
      if (query.trim() !== '') await this.#answer(query)
    }
  }

  async #answer(query: string): Promise<void> {
    const { terminal } = this.#options
    const running = new AbortController()
    this.#currentQuery = running
    terminal.write('\n')
    try {
      await this.#conversation.answer(query, running.signal)
    } catch (error) {
      if (running.signal.aborted) terminal.write('\nCancelled.\n')
      else if (error instanceof ModelError) terminal.write(`\n${sanitize(error.message)}\n`)
      else throw error
    } finally {
      this.#currentQuery = undefined
    }
  }

  async #printServers(): Promise<void> {
    const tools = await this.#manager.tools()
    for (const name of this.#manager.names()) {
      const own = tools.filter(({ server }) => server === name)
      const lines = own.map(({ tool }) => {
        const about = sanitizeLine(tool.description ?? tool.title ?? '', 100)
        return `  ${sanitizeLine(tool.name, 80)}${about === '' ? '' : `: ${about}`}\n`
      })
      this.#options.terminal.write(
        `\nConnected to ${sanitizeLine(name, 80)}, with ${own.length} ${own.length === 1 ? 'tool' : 'tools'}\n${lines.join('')}`,
      )
    }
  }

  async #tools(): Promise<readonly HostTool[]> {
    const { terminal } = this.#options
    const tools = await hostTools(this.#manager)
    return tools.map((tool) => ({
      ...tool,
      execute: async (args = {}, options = {}) => {
        terminal.write(`[${sanitize(tool.name)} ${formatArguments(args)}]\n`)
        const result = await tool.execute(args, options)
        if (result.isError) terminal.write(`[failed: ${sanitizeLine(result.text, 200)}]\n`)
        return result
      },
    }))
  }

  #systemPrompt(): string {
    const instructions = this.#manager.names().flatMap((name) => {
      const text = this.#manager.get(name)?.server?.instructions
      return text === undefined
        ? []
        : [`Instructions of the server ${name}:\n${text.slice(0, MAX_INSTRUCTIONS)}`]
    })
    return ['You help a user at a terminal, with the tools of MCP servers.', ...instructions].join('\n\n')
  }

  async #approve(approval: ApprovalRequest): Promise<boolean> {
    // The user named the servers on the command line, and the handlers in questions.ts ask for all other
    // approvals.
    if (approval.kind !== 'call' || this.#options.yes) return true
    const { server, detail, signal } = approval
    const key = JSON.stringify([server, detail.tool])
    if (this.#approved.has(key)) return true
    const what = `${sanitizeLine(detail.tool, 80)} of ${sanitizeLine(server, 80)}`
    const question = `Call ${what}? [y]es, [N]o, [a]lways: `
    const line = (await this.#options.terminal.ask(question, { signal }))?.trim().toLowerCase()
    if (line === 'a' || line === 'always') this.#approved.add(key)
    return line === 'y' || line === 'yes' || this.#approved.has(key)
  }

  #logEvents(): void {
    const { log } = this.#options
    const manager = this.#manager
    const name = (server: string): string => sanitizeLine(server, 80)
    manager.on('reconnecting', ({ server, attempt }) =>
      log(`${name(server)} is gone; attempt ${attempt} to reconnect`),
    )
    manager.on('reconnected', ({ server }) => log(`${name(server)} is back`))
    manager.on('serverRemoved', ({ server, reason }) =>
      log(`${name(server)} is given up: ${sanitizeLine(reason, 200)}`),
    )
    manager.on('listFailed', ({ server, error }) =>
      log(`${name(server)}: ${sanitizeLine(error.message, 200)}`),
    )
    manager.on('log', ({ server, level, data }) =>
      log(
        `[${name(server)} ${level}] ${sanitizeLine(typeof data === 'string' ? data : JSON.stringify(data), 500)}`,
      ),
    )
    manager.on('stderr', ({ server, line }) => log(`[${name(server)}] ${sanitizeLine(line, 500)}`))
    manager.on('error', ({ server, error }) =>
      log(`${server === undefined ? '' : `${name(server)}: `}${sanitizeLine(error.message, 200)}`),
    )
  }
}
