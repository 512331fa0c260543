import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { callTool, initialize, INITIALIZED, MODERN, requestMeta } from '@jetway-apps/test-support'
import { callFrame, HEADERS } from '@jetway-apps/test-support/http'
import { listening, type Serving, startNode } from '@jetway-apps/test-support/processes'
import { program } from '@jetway-tools/runtimes/program'
import { onTestFinished } from 'vitest'
import type { Measured } from '../../src/socket-target.ts'

export const ADAPTERS = ['fastify', 'hono'] as const
export type Adapter = (typeof ADAPTERS)[number]
export type Session = Readonly<Record<'mcp-session-id', string>>

const TARGET = ['--expose-gc', ...program(new URL('../../src/socket-target.ts', import.meta.url))]

/**
 * Starts the target in its own process, and generates load in this process. The target is killed at the end
 * of the test.
 */
export class SocketTarget {
  readonly server: Serving
  readonly #agent = new Agent({ keepAlive: true })

  private constructor(server: Serving) {
    this.server = server
  }

  static async start(adapter: Adapter): Promise<SocketTarget> {
    const server = await listening(startNode([...TARGET, '--adapter', adapter, '--port', '0']))
    const target = new SocketTarget(server)
    onTestFinished(async () => {
      target.#agent.destroy()
      await server.stop('SIGKILL')
    })
    return target
  }

  get port(): number {
    return Number(new URL(this.server.url).port)
  }

  async open(): Promise<Session> {
    const { headers } = await this.#post(JSON.stringify(initialize()))
    const session = { 'mcp-session-id': String(headers['mcp-session-id']) }
    await this.#post(JSON.stringify(INITIALIZED), session)
    return session
  }

  /** Opens the GET stream of a session on a new connection. */
  async listen(session: Session): Promise<IncomingMessage> {
    const headers = { ...HEADERS, ...session, accept: 'text/event-stream' }
    const asked = request(this.server.url, { method: 'GET', agent: false, headers })
    asked.on('error', () => {}).end()
    const [reply] = (await once(asked, 'response')) as [IncomingMessage]
    if (reply.statusCode !== 200) throw new Error(`A stream was refused with ${reply.statusCode}`)
    return reply.on('error', () => {})
  }

  /** Calls a tool in a session. Resolves to the whole reply: JSON or a stream. */
  async call(session: Session, tool: string, args: object, id: number): Promise<string> {
    return (await this.#post(callFrame(tool, args, id), session)).body
  }

  /** Calls a tool without a session. Resolves to the text of its result. */
  async callAlone(tool: string): Promise<string> {
    const body = JSON.stringify(callTool(tool, {}, { meta: requestMeta() }))
    const headers = { 'mcp-protocol-version': MODERN, 'mcp-method': 'tools/call', 'mcp-name': tool }
    const reply = await this.#post(body, headers)
    return (JSON.parse(reply.body) as { result: { content: [{ text: string }] } }).result.content[0].text
  }

  /** Returns the number of the server's sockets, excluding those used for these calls. */
  async strangers(): Promise<number> {
    const all = Number(await this.callAlone('sockets'))
    const { sockets, freeSockets } = this.#agent
    const own = [sockets, freeSockets].flatMap((byHost) => Object.values(byHost).flat())
    return all - own.length
  }

  async measure(): Promise<Measured> {
    return JSON.parse(await this.callAlone('measure')) as Measured
  }

  async #post(
    body: string,
    headers: object = {},
  ): Promise<{ readonly headers: IncomingMessage['headers']; readonly body: string }> {
    const asked = request(this.server.url, {
      method: 'POST',
      agent: this.#agent,
      headers: { ...HEADERS, ...headers, 'content-length': Buffer.byteLength(body) },
    })
    asked.end(body)
    const [reply] = (await once(asked, 'response')) as [IncomingMessage]
    return { headers: reply.headers, body: await text(reply) }
  }
}

/** Runs a step a given number of times, with limited concurrency. */
export async function inParallel(
  times: number,
  atOnce: number,
  act: (time: number) => Promise<void>,
): Promise<void> {
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < times) await act(next++)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}
