import { PassThrough, Writable } from 'node:stream'
import type { HandlerContext } from '@jetway/client'
import { McpServer } from '@jetway/core'
import { describe, expect, it } from 'vitest'
import { handlersFor } from '../../src/target/handlers.ts'
import { Terminal } from '../../src/terminal.ts'
import { runCli } from '../support/run-cli.ts'
import { serve } from '../support/serve.ts'

/** Options for a terminal whose user gives the same answer to each question. */
interface Given {
  readonly isTTY?: boolean
  readonly json?: boolean
  /** If undefined, stdin ends instead. */
  readonly answer?: string | undefined
}

function terminalOf({ isTTY = true, json = false, answer }: Given) {
  let noted = ''
  const stdin = Object.assign(new PassThrough(), { isTTY })
  const stderr = new Writable({
    write(chunk: Buffer, _encoding, done) {
      noted += chunk.toString()
      if (/\] $|> $/.test(noted))
        setImmediate(() => (answer === undefined ? stdin.end() : stdin.write(`${answer}\n`)))
      done()
    },
  })
  const streams = { stdin, stdout: stderr, stderr: Object.assign(stderr, { isTTY }), env: { TERM: 'dumb' } }
  return { handlers: handlersFor(new Terminal(streams, { json, yes: false })), noted: () => noted }
}

const contextOf = (given: object): HandlerContext =>
  ({ signal: new AbortController().signal, ...given }) as HandlerContext
const LINK = { message: 'Log in\u0007', url: 'https://h/\u001B' } as never
const FORM = { message: 'Who?\nYou', requestedSchema: { type: 'object', properties: {} } } as never

describe('answering a question', () => {
  it.each([
    ['y', 'accept'],
    [' YES ', 'accept'],
    ['yesterday', 'decline'],
    ['', 'decline'],
  ])('maps the input %j to %s if the question asks the user to open a URL', async (answer, action) => {
    const { handlers, noted } = terminalOf({ answer })
    expect(await handlers.elicitUrl?.(LINK, contextOf({ server: { name: 'shop' } }))).toEqual({ action })
    expect(noted()).toContain('\nshop asks you to open a URL: Log in\uFFFD\n  https://h/\uFFFD\n')
    expect(noted()).toContain('Will you open it in your browser? [y/N] ')
  })

  it.each([
    [{ name: 'cursor:shop', server: { name: 'shop' } }, 'cursor:shop'],
    [{ server: { name: 'shop' } }, 'shop'],
    [{}, 'The server'],
  ])("prints the server's name for %j", async (context, name) => {
    const { handlers, noted } = terminalOf({ answer: 'y' })
    expect(await handlers.elicit?.(FORM, contextOf(context))).toEqual({ action: 'accept' })
    expect(noted()).toContain(`\n${name} asks: Who?`)
  })

  it('cancels the question when stdin ends', async () => {
    const { handlers } = terminalOf({ answer: undefined })
    expect(await handlers.elicitUrl?.(LINK, contextOf({}))).toEqual({ action: 'cancel' })
  })

  it.each([
    [
      false,
      'declined, because there is no terminal: Who? You\ndeclined, because there is no terminal: Log in',
    ],
    [true, ''],
  ])('declines if there is no terminal (--json: %j)', async (json, text) => {
    const { handlers, noted } = terminalOf({ isTTY: false, json })
    expect(await handlers.elicit?.(FORM, contextOf({}))).toEqual({ action: 'decline' })
    expect(await handlers.elicitUrl?.(LINK, contextOf({}))).toEqual({ action: 'decline' })
    expect(noted().slice(0, text.length)).toBe(text)
    expect(noted() === '').toBe(json)
  })

  it.each([true, false])('declines sampling requests (in a terminal: %j)', (isTTY) => {
    const { handlers, noted } = terminalOf({ isTTY })
    expect(() => handlers.sample?.({} as never, contextOf({}))).toThrow(
      expect.objectContaining({ code: -1, message: 'User rejected sampling request' }),
    )
    expect(noted()).toBe('declined a request for sampling: this client has no model\n')
  })
})

describe("a server's log message", () => {
  const serveLog = (): Promise<string> => {
    const server = new McpServer({ name: 'shop', version: '1' })
    server.addTool({
      name: 'log',
      handler(_args, { log }) {
        log.warning('on it')
        log.info({ a: 1 })
        log.debug('more')
        return 'done'
      },
    })
    return serve(server)
  }

  it.each([
    [[], 'warning: on it\ninfo: {"a":1}\n'],
    [['--json'], ''],
  ])('is printed to stderr with %j', async (options, expected) => {
    const { stderr, exitCode } = await runCli(['call', await serveLog(), 'log', ...options])
    expect({ stderr, exitCode }).toEqual({ stderr: expected, exitCode: 0 })
  })
})
