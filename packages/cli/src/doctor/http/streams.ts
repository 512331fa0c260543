import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { Method } from '@jetway/core/protocol'
import type { Finding } from '../finding.ts'
import { fault, ok, skipped, warning } from '../verdicts.ts'
import { EVENT_STREAM, type HttpCall, mediaType, NoReplyError, open } from './exchange.ts'
import type { Opened } from './sessions.ts'
import { modernRequest, type Site } from './site.ts'

/** A stream to open. */
interface StreamCall {
  readonly name: string
  readonly call: HttpCall
  /** Whether the server sends an event immediately. */
  readonly speaksFirst: boolean
}

/** The encodings that Node.js and browsers accept. If they were not sent, a proxy would not compress. */
const ENCODINGS = 'gzip, deflate, br'

const BEGINNING_MS = 500

/** Opens a silent stream, and checks its head and its data. */
export async function checkStream(site: Site, opened: Opened): Promise<readonly Finding[]> {
  for (const stream of streamCalls(site, opened)) {
    const findings = await examineStream(site, stream, opened.replyMs)
    if (findings !== undefined) return findings
  }
  if (mediaType(opened.reply.headers) === EVENT_STREAM) return headFindings(opened.reply.headers)
  return [skipped('stream', 'the server has no stream for notifications')]
}

function streamCalls({ url, headers }: Site, { session, isModern }: Opened): readonly StreamCall[] {
  const common = { ...headers, 'accept-encoding': ENCODINGS }
  const [message, routing] = modernRequest(Method.Listen, {
    notifications: { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true },
  })
  const listen: StreamCall = {
    name: Method.Listen,
    speaksFirst: true,
    call: {
      url,
      method: 'POST',
      headers: {
        ...common,
        accept: `application/json, ${EVENT_STREAM}`,
        'content-type': 'application/json',
        ...routing,
      },
      body: JSON.stringify(message),
    },
  }
  const get: StreamCall = {
    name: 'GET',
    speaksFirst: false,
    call: { url, method: 'GET', headers: { ...common, accept: EVENT_STREAM, ...session } },
  }
  return [...(isModern ? [listen] : []), ...(session === undefined ? [] : [get])]
}

/** Examines a stream. Resolves to undefined if the server does not reply with a stream. */
async function examineStream(
  site: Site,
  { name, call, speaksFirst }: StreamCall,
  replyMs: number,
): Promise<readonly Finding[] | undefined> {
  const limitMs = Math.ceil(site.firstBytesMs + replyMs)
  const end = new AbortController()
  const late = setTimeout(() => end.abort(), limitMs)
  try {
    const message = await open(call, end.signal)
    if (message.statusCode !== 200 || mediaType(message.headers) !== EVENT_STREAM) return undefined
    const bytes = new StreamBytes(message)
    if (speaksFirst && !(await bytes.next(limitMs)))
      return [bufferedFinding(`the first event of ${name}`, limitMs)]
    clearTimeout(late)
    const prompt = ok('stream', `${name} was answered at once`)
    return [prompt, ...headFindings(message.headers), await keepAliveFinding(site, name, bytes)]
  } catch (error) {
    if (!(error instanceof NoReplyError) || error.code !== 'TIMEOUT') throw error
    return [bufferedFinding(`the reply to ${name}`, limitMs)]
  } finally {
    clearTimeout(late)
    end.abort()
  }
}

const bufferedFinding = (what: string, limitMs: number): Finding =>
  fault(
    'stream',
    `${what} has not come within ${limitMs} ms: a proxy keeps it back, or the server does`,
    'Turn buffering off in the proxy (nginx: proxy_buffering off), or send X-Accel-Buffering: no',
  )

function headFindings(headers: IncomingHttpHeaders): readonly Finding[] {
  const encoding = headers['content-encoding']
  const cacheControl = headers['cache-control']
  return [
    encoding === undefined || encoding === 'identity'
      ? ok('stream-encoding', 'streams are not compressed')
      : fault(
          'stream-encoding',
          `Content-Encoding: ${encoding}`,
          'Do not compress text/event-stream: compression holds events back',
        ),
    cacheControl?.includes('no-transform') === true
      ? ok('stream-cache', `Cache-Control: ${cacheControl}`)
      : warning(
          'stream-cache',
          `Cache-Control: ${cacheControl ?? 'missing'}`,
          'Send Cache-Control: no-cache, no-transform with streams, and X-Accel-Buffering: no, so that proxies pass them on',
        ),
  ]
}

async function keepAliveFinding(site: Site, name: string, bytes: StreamBytes): Promise<Finding> {
  site.progress(
    `Waiting up to ${Math.ceil(site.keepAliveMs / 1_000)} s for a sign of life on a silent stream`,
  )
  const started = performance.now()
  // Some servers first send an event, so the check waits for the silence after it.
  await bytes.next(Math.min(BEGINNING_MS, site.keepAliveMs))
  const came = await bytes.next(site.keepAliveMs)
  const seconds = ((performance.now() - started) / 1_000).toFixed(1)
  if (came) return ok('keep-alive', `something came after ${seconds} s`)
  return warning(
    'keep-alive',
    bytes.ended ? `the stream of ${name} has ended after ${seconds} s` : `nothing came for ${seconds} s`,
    'Keep streams open, with a comment each 15 s: proxies cut silent connections',
  )
}

/** Waits for bytes and discards them. */
class StreamBytes {
  ended = false
  #came = false
  #wake: (() => void) | undefined

  constructor(message: IncomingMessage) {
    const wake = (): void => this.#wake?.()
    message.on('data', () => {
      this.#came = true
      wake()
    })
    for (const event of ['end', 'error', 'close'])
      message.on(event, () => {
        this.ended = true
        wake()
      })
  }

  /** Resolves to true if bytes have arrived since the last call, or arrive within this time. */
  async next(ms: number): Promise<boolean> {
    if (!this.#came && !this.ended)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms)
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    this.#wake = undefined
    const came = this.#came
    this.#came = false
    return came
  }
}
