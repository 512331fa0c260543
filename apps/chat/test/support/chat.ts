import { PassThrough } from 'node:stream'
import { http } from '@jetway/client/http'
import { toFetch } from '@jetway/core/http'
import { expect, onTestFinished, vi } from 'vitest'
import { Chat } from '../../src/chat.ts'
import { modelFrom } from '../../src/model/from-environment.ts'
import { Terminal } from '../../src/terminal/terminal.ts'
import { type Api, type ModelServer, modelServer, type Script } from './model-server.ts'
import { shop } from './shop.ts'

export interface Started {
  readonly chat: Chat
  readonly model: ModelServer
  /** All that a user has seen. */
  readonly seen: () => string
  readonly logged: string[]
  readonly type: (...lines: readonly string[]) => void
  /** Ends the input. */
  readonly eof: () => void
  /** Waits until the user sees a text, past what they were shown before. */
  readonly sees: (text: string) => Promise<void>
  /** Resolves when the chat is over. */
  readonly over: Promise<boolean>
}

export interface StartOptions {
  readonly api?: Api
  readonly yes?: boolean
  readonly rounds?: number
  /** Whether its server cannot be reached. */
  readonly away?: boolean
}

/** A chat in this process, with a person who types and a scripted model, and a server of this process as well. */
export async function startChat(script: Script, options: StartOptions = {}): Promise<Started> {
  const { api = 'anthropic', yes = false, rounds = 25, away = false } = options
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
      if (away) throw new TypeError('fetch failed')
      return handler(new Request(url, { ...init, ...(init.body && { duplex: 'half' }) }))
    },
  })
  const chat = new Chat({
    servers: { shop: dial },
    model: modelFrom(model.env(api), {}),
    terminal,
    rounds,
    yes,
    log: (line) => logged.push(line),
  })
  const over = chat.run()
  over.catch(() => {})
  onTestFinished(async () => {
    chat.end()
    await over.catch(() => {})
    terminal.close()
    await model.close()
    await handler.close({ deadline: 0 })
  })
  return {
    chat,
    model,
    logged,
    over,
    seen: () => text,
    type: (...lines) => void input.write(lines.map((line) => `${line}\n`).join('')),
    eof: () => void input.end(),
    async sees(wanted) {
      await vi.waitFor(() => expect(text.slice(read)).toContain(wanted))
      read = text.indexOf(wanted, read) + wanted.length
    },
  }
}
