import type { Dial } from '@jetway/client'
import type { ServerConfig } from '@jetway/client/config'
import { type HostTool, hostTools } from '@jetway/client/bridge'
import { type Approval, ClientManager } from '@jetway/client/manager'
import { Conversation } from './conversation.ts'
import { type Model, ModelError } from './model/model.ts'
import { handlersAt } from './terminal/questions.ts'
import type { Terminal } from './terminal/terminal.ts'
import { shown, shownShort } from './terminal/text.ts'

export interface ChatOptions {
  readonly servers: Readonly<Record<string, ServerConfig | Dial>>
  readonly model: Model
  readonly terminal: Terminal
  readonly rounds: number
  /** Whether tools are called without asking. */
  readonly yes: boolean
  /** What is no part of the conversation. */
  readonly log: (line: string) => void
}

const INFO = { name: 'jetway-chat', title: 'Jetway Chat', version: '0.0.0' }
/** What APIs take as the name of a tool. */
const MAX_NAME = 64
/** What of each server's instructions the model is told, in UTF-16 units. */
const MAX_INSTRUCTIONS = 4_000
/** What of the arguments of a call is shown, in UTF-16 units. */
const MAX_ARGUMENTS = 4_000

/** Who is asked to approve a call has to know that they have not seen all of it. */
function shownArguments(args: Readonly<Record<string, unknown>>): string {
  const json = JSON.stringify(args)
  const more = json.length - MAX_ARGUMENTS
  return `${shownShort(json, MAX_ARGUMENTS)}${more > 0 ? ` and ${more} more characters` : ''}`
}

/** A chat from the first query to the last. */
export class Chat {
  readonly #options: ChatOptions
  readonly #manager: ClientManager
  readonly #conversation: Conversation
  /** Tools that the user has said yes to for good. */
  readonly #always = new Set<string>()
  readonly #over = new AbortController()
  #running: AbortController | undefined

  constructor(options: ChatOptions) {
    const { model, rounds, terminal } = options
    this.#options = options
    this.#manager = new ClientManager(INFO, {
      maxNameLength: MAX_NAME,
      handlers: handlersAt(terminal, model),
      approve: (approval) => this.#approve(approval),
    })
    this.#conversation = new Conversation({
      model,
      rounds,
      tools: () => this.#tools(),
      system: () => this.#system(),
      onText: (text) => terminal.write(shown(text)),
      onReply: () => terminal.write('\n'),
      onNotice: (notice) => terminal.write(`${notice}\n`),
    })
    this.#listen()
  }

  /** Connects, and answers queries until there are no more. Resolves to whether there was a server to talk to. */
  async run(): Promise<boolean> {
    const { servers, terminal, model } = this.#options
    try {
      const { errors } = await this.#manager.connectAll(servers, { signal: this.#over.signal })
      if (this.#over.signal.aborted) return true
      for (const { server, error } of errors)
        this.#options.log(`Failed to connect to ${shownShort(server, 80)}: ${shownShort(error.message, 500)}`)
      if (this.#manager.names().length === 0) return false
      await this.#introduce()
      terminal.write(`\nTalking to ${model.name}. Type your queries, or 'quit' to exit.\n`)
      await this.#queries()
      return true
    } finally {
      this.end()
      await this.#manager.closeAll()
    }
  }

  /** Whether it only has its servers to close any more. */
  get isOver(): boolean {
    return this.#over.signal.aborted
  }

  /** Ctrl-C: the first ends what runs, and one more, or one at the prompt, the chat. */
  interrupt(): void {
    const running = this.#running
    if (running === undefined || running.signal.aborted) return this.end()
    running.abort(new Error('Cancelled'))
  }

  /** Ends the chat, whatever it does. */
  end(): void {
    this.#over.abort(new Error('The chat is over'))
    this.#running?.abort(this.#over.signal.reason)
  }

  async #queries(): Promise<void> {
    const { terminal } = this.#options
    const { signal } = this.#over
    while (!signal.aborted) {
      const query = await terminal.ask('\nQuery: ', { signal, typedAhead: true }).catch(() => undefined)
      if (query === undefined || query.trim().toLowerCase() === 'quit') return
      if (query.trim() !== '') await this.#answer(query)
    }
  }

  async #answer(query: string): Promise<void> {
    const { terminal } = this.#options
    const running = new AbortController()
    this.#running = running
    terminal.write('\n')
    try {
      await this.#conversation.answer(query, running.signal)
    } catch (error) {
      if (running.signal.aborted) terminal.write('\nCancelled.\n')
      else if (error instanceof ModelError) terminal.write(`\n${shown(error.message)}\n`)
      else throw error
    } finally {
      this.#running = undefined
    }
  }

  /** Shows what there is. */
  async #introduce(): Promise<void> {
    const tools = await this.#manager.tools()
    for (const name of this.#manager.names()) {
      const own = tools.filter(({ server }) => server === name)
      const lines = own.map(({ tool }) => {
        const about = shownShort(tool.description ?? tool.title ?? '', 100)
        return `  ${shownShort(tool.name, 80)}${about === '' ? '' : `: ${about}`}\n`
      })
      this.#options.terminal.write(
        `\nConnected to ${shownShort(name, 80)}, with ${own.length} ${own.length === 1 ? 'tool' : 'tools'}\n${lines.join('')}`,
      )
    }
  }

  async #tools(): Promise<readonly HostTool[]> {
    const { terminal } = this.#options
    const tools = await hostTools(this.#manager)
    return tools.map((tool) => ({
      ...tool,
      execute: async (args = {}, options = {}) => {
        terminal.write(`[${shown(tool.name)} ${shownArguments(args)}]\n`)
        const result = await tool.execute(args, options)
        if (result.isError) terminal.write(`[failed: ${shownShort(result.text, 200)}]\n`)
        return result
      },
    }))
  }

  #system(): string {
    const told = this.#manager.names().flatMap((name) => {
      const instructions = this.#manager.get(name)?.server?.instructions
      return instructions === undefined
        ? []
        : [`The server ${name} says of its tools:\n${instructions.slice(0, MAX_INSTRUCTIONS)}`]
    })
    return ['You help a user at a terminal, with the tools of MCP servers.', ...told].join('\n\n')
  }

  async #approve(approval: Approval): Promise<boolean> {
    // Whoever names a server on the command line wants it to run, and handlers ask for themselves.
    if (approval.kind !== 'call' || this.#options.yes) return true
    const { server, detail, signal } = approval
    const key = JSON.stringify([server, detail.tool])
    if (this.#always.has(key)) return true
    const what = `${shownShort(detail.tool, 80)} of ${shownShort(server, 80)}`
    const question = `Call ${what}? [y]es, [N]o, [a]lways: `
    const line = (await this.#options.terminal.ask(question, { signal }))?.trim().toLowerCase()
    if (line === 'a' || line === 'always') this.#always.add(key)
    return line === 'y' || line === 'yes' || this.#always.has(key)
  }

  #listen(): void {
    const { log } = this.#options
    const manager = this.#manager
    const name = (server: string): string => shownShort(server, 80)
    manager.on('mcp_reconnecting', ({ server, attempt }) =>
      log(`${name(server)} is gone; attempt ${attempt} to reconnect`),
    )
    manager.on('mcp_reconnected', ({ server }) => log(`${name(server)} is back`))
    manager.on('mcp_server_removed', ({ server, reason }) =>
      log(`${name(server)} is given up: ${shownShort(reason, 200)}`),
    )
    manager.on('mcp_list_failed', ({ server, error }) =>
      log(`${name(server)}: ${shownShort(error.message, 200)}`),
    )
    manager.on('mcp_log', ({ server, level, data }) =>
      log(
        `[${name(server)} ${level}] ${shownShort(typeof data === 'string' ? data : JSON.stringify(data), 500)}`,
      ),
    )
    manager.on('mcp_stderr', ({ server, line }) => log(`[${name(server)}] ${shownShort(line, 500)}`))
    manager.on('mcp_error', ({ server, error }) =>
      log(`${server === undefined ? '' : `${name(server)}: `}${shownShort(error.message, 200)}`),
    )
  }
}
