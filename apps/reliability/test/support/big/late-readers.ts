import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { initialize, INITIALIZED } from '@jetway-apps/test-support'
import { HEADERS } from '@jetway-apps/test-support/http'
import { type Running, startNode } from '@jetway-apps/test-support/processes'
import { program } from '@jetway-tools/runtimes/program'
import { expect, onTestFinished } from 'vitest'
import { Answers } from './answers.ts'

/** The only revision with batches. */
const REVISION = '2025-03-26'
/** The delay before the client reads, in ms. */
const LATE_MS = 2_000

/** A client that sends bodies immediately, but reads the responses late. */
export interface LateReader {
  readonly pid: number
  /** Sends the bodies. Resolves to the responses as soon as this many have arrived. */
  send(bodies: readonly string[], expected: number): Promise<Answers>
}

const start = (...args: string[]): Running => {
  const running = startNode([...program(new URL('./target.ts', import.meta.url)), ...args])
  onTestFinished(async () => void (await running.stop('SIGKILL')))
  return running
}

export async function onStdio(): Promise<LateReader> {
  const { process: child } = start('stdio')
  child.stdin.write(`${JSON.stringify(initialize(REVISION, { id: 0 }))}\n${JSON.stringify(INITIALIZED)}\n`)
  await once(child.stdout, 'data')
  // `startNode` would store all output, which may be too long for one string.
  child.stdout.removeAllListeners('data')
  return {
    pid: child.pid ?? 0,
    async send(bodies, expected) {
      child.stdout.pause()
      for (const body of bodies) child.stdin.write(`${body}\n`)
      await delay(LATE_MS)
      const answers = new Answers()
      read(child.stdout, answers)
      await expect.poll(() => answers.count, { timeout: 300_000 }).toBe(expected)
      return answers
    },
  }
}

/** @param response - the form of the replies */
export async function onStreamableHttp(host: string, response: 'json' | 'sse'): Promise<LateReader> {
  const { url, pid } = await startHttp(host, response)
  const opened = await reply(post(url, JSON.stringify(initialize(REVISION))))
  const session = { 'mcp-session-id': String(opened.resume().headers['mcp-session-id']) }
  ;(await reply(post(url, JSON.stringify(INITIALIZED), session))).resume()
  return {
    pid,
    async send(bodies, expected) {
      const posts = bodies.map((body) => post(url, body, session))
      const answers = new Answers()
      const late = delay(LATE_MS)
      await Promise.all(
        posts.map(async (sent) => {
          const answered = await reply(sent)
          await late
          read(answered, new Answers(answers))
          await once(answered, 'end')
        }),
      )
      expect(answers.count).toBe(expected)
      return answers
    },
  }
}

export async function onHttpSse(host: string): Promise<LateReader> {
  const { url, pid } = await startHttp(host, 'auto')
  const stream = await reply(
    request(new URL('/sse', url), { agent: false, headers: { accept: 'text/event-stream' } }).end(),
  )
  const answers = new Answers()
  let text = ''
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    text = (text + chunk).slice(0, 1_000)
  })
  await expect.poll(() => text).toMatch(/data: .*sessionId=/)
  const messages = new URL(/data: (\S+)/.exec(text)?.[1] ?? '', url).href
  for (const body of [initialize(REVISION, { id: 0 }), INITIALIZED])
    (await reply(post(messages, JSON.stringify(body)))).resume()
  await expect.poll(() => text).toContain('"result"')
  return {
    pid,
    async send(bodies, expected) {
      stream.removeAllListeners('data').pause()
      const late = delay(LATE_MS)
      for (const body of bodies) {
        const accepted = await reply(post(messages, body))
        // With HTTP+SSE, the server refuses a request that exceeds its limits in the reply to the POST.
        read(accepted, accepted.statusCode === 202 ? new Answers() : new Answers(answers))
        await once(accepted, 'end')
      }
      await late
      read(stream, new Answers(answers))
      await expect.poll(() => answers.count, { timeout: 300_000 }).toBe(expected)
      return answers
    },
  }
}

async function startHttp(host: string, response: string): Promise<{ url: string; pid: number }> {
  const running = start(host, response)
  const [origin] = await running.until(/http:\S+/)
  return { url: `${origin}/mcp`, pid: running.process.pid ?? 0 }
}

/** Posts on a new connection. */
function post(url: string, body: string, headers: object = {}): ClientRequest {
  const all = {
    ...HEADERS,
    'mcp-protocol-version': REVISION,
    'content-length': Buffer.byteLength(body),
    ...headers,
  }
  return request(url, { method: 'POST', agent: false, headers: all }).end(body)
}

async function reply(sent: ClientRequest): Promise<IncomingMessage> {
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return response
}

const read = (stream: Readable, answers: Answers): void =>
  void stream
    .setEncoding('utf8')
    .on('data', (text: string) => answers.push(text))
    .resume()
