import type { ServerResponse } from 'node:http'
import { ProcessEnded } from '../conversation/lists.ts'
import { lostAnswer } from '../conversation/restart-answers.ts'
import { type ExchangeRelay, passText } from './exchange.ts'
import { isStream } from './lasting-stream.ts'
import type { Caller } from './open-session.ts'
import { endToEnd, type HttpProcess } from './process-http.ts'
import { type Session, withId } from './session.ts'
import { type EventId, eventsOf, publicEventId, SseOutput } from './sse.ts'

export interface Resumption {
  readonly relay: ExchangeRelay
  readonly response: ServerResponse
  readonly caller: Caller
  readonly session: Session
  readonly last: EventId
  /** The process whose reply was cut off; undefined if the process has exited. */
  readonly process: HttpProcess | undefined
}

/** Resumes the reply to a POST request. If its process has exited, the relay itself replies. */
export async function resumePost(resumption: Resumption): Promise<void> {
  const { relay, process, response, session, last } = resumption
  let reply = process && (await request(process, resumption))
  // A process that is shutting down refuses new requests.
  if (reply?.statusCode === 503 && process !== undefined && !relay.isCurrent(process)) {
    reply.resume()
    reply = undefined
  }
  if (reply !== undefined && !isStream(reply)) {
    response.writeHead(reply.statusCode ?? 502, endToEnd(reply.headers))
    reply.pipe(response)
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  const output = new SseOutput(response)
  const waiting = session.unanswered(last.generation)
  if (reply !== undefined && process !== undefined) {
    const end = process.begin()
    for await (const event of eventsOf(reply)) {
      const data = event.data === '' ? '' : passText(event.data, { process, session, waiting })
      if (data === undefined) continue
      const id = event.id === undefined ? {} : { id: publicEventId({ ...last, id: event.id }) }
      await output.write({ ...event, ...id, data: data.toString() })
    }
    end()
    if (response.closed || (reply.complete && relay.isCurrent(process))) return output.end()
  }
  for (const [key, lost] of waiting) {
    waiting.delete(key)
    await output.message(lostAnswer(lost))
  }
  output.end()
}

async function request(process: HttpProcess, { response, caller, session, last }: Resumption) {
  const id = await session.knownOn(process.generation)
  if (typeof id !== 'string') return undefined
  const { path, headers } = withId(caller, id)
  const abort = new AbortController()
  response.once('close', () => abort.abort())
  return process
    .send({ method: 'GET', path, headers: { ...headers, 'last-event-id': last.id }, signal: abort.signal })
    .catch((error: unknown) => {
      if (error instanceof ProcessEnded) return undefined
      throw error
    })
}
