import { PassThrough } from 'node:stream'
import { http } from '@jetway/client/http'
import { toFetch } from '@jetway/core/http'
import { expect, onTestFinished, vi } from 'vitest'
import { Chat } from '../../src/chat.ts'
import { modelFromEnvironment } from '../../src/model/from-environment.ts'
import { Terminal } from '@jetway-apps/terminal'
import { type Api, type ModelServer, modelServer, type Script } from './model-server.ts'
import { shop } from './shop.ts'

export interface StartedChat {
  readonly chat: Chat
  readonly model: ModelServer
  /** The output. */
  readonly output: () => string
  readonly logged: string[]
  readonly type: (...lines: readonly string[]) => void
  /** Ends the input. */
  readonly eof: () => void
  /** Waits until the output contains this text, after the text of the previous call. */
  readonly waitForText: (text: string) => Promise<void>
  /** When the chat ends, resolves to the result of `Chat.run`. */
  readonly ended: Promise<boolean>
}

export interface StartOptions {
  readonly api?: Api
  readonly yes?: boolean
  readonly maxRounds?: number
  /** Whether requests to the server fail. */
  readonly unreachable?: boolean
}

/** Starts a chat with simulated input, a scripted model and the `shop` server, all in this process. */
export async function startChat(script: Script, options: StartOptions = {}): Promise<StartedChat> {
  const { api = 'anthropic', yes = false, maxRounds = 25, unreachable = false } = options
  const model = await modelServer(script)
  const handler = toFetch(shop(), {})
  const input = new PassThrough()
  const output = new PassThrough()
  let text = ''
  let read = 0
  output.setEncoding('utf8').on('data', (piece: string) => void (text += piece))
  const logged: string[] = []
  const terminal = new Terminal({ input, output, onInterrupt: () => {} })
  const dial = http('http://127.0.0.1:8000/mcp', {
    fetch: async (url, init) => {
      if (unreachable) throw new TypeError('fetch failed')
      return handler(new Request(url, { ...init, ...(init.body && { duplex: 'half' }) }))
    },
  })
  const chat = new Chat({
    servers: { shop: dial },
    model: modelFromEnvironment(model.env(api), {}),
    terminal,
    maxRounds,
    yes,
    log: (line) => logged.push(line),
  })
  const ended = chat.run()
  ended.catch(() => {})
  onTestFinished(async () => {
    chat.end()
    await ended.catch(() => {})
    terminal.close()
    await handler.close({ deadline: 0 })
  })
  return {
    chat,
    model,
    logged,
    ended,
    output: () => text,
    type: (...lines) => void input.write(lines.map((line) => `${line}\n`).join('')),
    eof: () => void input.end(),
    async waitForText(wanted) {
      await vi.waitFor(() => expect(text.slice(read)).toContain(wanted))
      read = text.indexOf(wanted, read) + wanted.length
    },
  }
}

/** Starts the same chat, and types `hello`. */
export async function greeted(script: Script, options?: StartOptions): Promise<StartedChat> {
  const started = await startChat(script, options)
  started.type('hello')
  return started
}
