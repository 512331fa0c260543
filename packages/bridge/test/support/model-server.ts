import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A model's HTTP API that returns the given answers in order, and records its requests. */
export interface ModelServer extends AsyncDisposable {
  readonly url: string
  readonly asked: readonly { readonly path: string; readonly body: Record<string, unknown> }[]
  /** A list in the body of one of the requests. */
  list(request: number, member: string): readonly Record<string, unknown>[]
}

export async function modelServer(answers: readonly object[]): Promise<ModelServer> {
  const asked: { path: string; body: Record<string, unknown> }[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>
      const answer = answers[asked.length]
      asked.push({ path: request.url ?? '', body })
      response.writeHead(answer === undefined ? 500 : 200, {
        'content-type': 'application/json',
        connection: 'close',
      })
      response.end(JSON.stringify(answer ?? { error: { message: 'nothing left to say' } }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    list(request, member) {
      const list = asked[request]?.body[member]
      if (!Array.isArray(list)) throw new Error(`The request has no list ${member}`)
      return list as readonly Record<string, unknown>[]
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
