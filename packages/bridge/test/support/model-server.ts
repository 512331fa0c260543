import type { IncomingMessage, ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { listen } from '@jetway-apps/test-support/http'

/** An HTTP API of a model. It returns the given replies in order, and records the requests. */
export interface ModelServer extends Disposable {
  readonly url: string
  readonly asked: readonly { readonly path: string; readonly body: Record<string, unknown> }[]
  /** Returns a list from the body of a request. */
  list(request: number, member: string): readonly Record<string, unknown>[]
}

export async function modelServer(answers: readonly object[]): Promise<ModelServer> {
  const asked: { path: string; body: Record<string, unknown> }[] = []
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = (await json(request)) as Record<string, unknown>
    const said = answers[asked.length]
    asked.push({ path: request.url ?? '', body })
    response.writeHead(said === undefined ? 500 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(said ?? { error: { message: 'nothing left to say' } }))
  }
  const { origin, release } = await listen((request, response) => void answer(request, response))
  return {
    url: origin,
    asked,
    list(request, member) {
      const list = asked[request]?.body[member]
      if (!Array.isArray(list)) throw new Error(`The request has no list ${member}`)
      return list as readonly Record<string, unknown>[]
    },
    [Symbol.dispose]: release,
  }
}
