/**
 * A stand-in for Lambda behind a function URL. It converts each HTTP request to an event, and calls the
 * handler from the module that is given as an argument. Streaming handlers receive a stream for the response,
 * as in Lambda's own runtime.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import process from 'node:process'
import { text } from 'node:stream/consumers'

interface Head {
  readonly statusCode: number
  readonly headers: Record<string, string>
}
type Result = Head & { readonly body: string; readonly isBase64Encoded: boolean }
type Buffered = (event: object, context: object) => Promise<Result>
type Streaming = (event: object, stream: ServerResponse, context: object) => Promise<void>

const streaming = new Set<unknown>()
Object.assign(globalThis, {
  awslambda: {
    streamifyResponse: (handler: Streaming) => (streaming.add(handler), handler),
    HttpResponseStream: {
      // The head is sent with the first chunk.
      from: (stream: ServerResponse, { statusCode, headers }: Head) => stream.writeHead(statusCode, headers),
    },
  },
})
const { handler } = (await import(process.argv[2] ?? '')) as { handler: Buffered | Streaming }

/** https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html#urls-request-payload */
async function eventOf(request: IncomingMessage): Promise<object> {
  const { method, url = '/', headers } = request
  const { pathname, searchParams } = new URL(url, 'http://localhost')
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: pathname,
    rawQueryString: searchParams.toString(),
    headers,
    requestContext: {
      accountId: 'anonymous',
      apiId: 'abcdefgh',
      domainName: 'abcdefgh.lambda-url.eu-central-1.on.aws',
      http: { method, path: pathname, protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: 'test' },
      requestId: 'e1506fd5-9e7b-434f-bd42-4f8fa224b599',
      routeKey: '$default',
      stage: '$default',
    },
    body: await text(request),
    isBase64Encoded: false,
  }
}

async function invoke(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const event = await eventOf(request)
  if (streaming.has(handler)) return (handler as Streaming)(event, response, {})
  const { statusCode, headers, body, isBase64Encoded } = await (handler as Buffered)(event, {})
  response.writeHead(statusCode, headers).end(Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'))
}

const http = createServer((request, response) => void invoke(request, response))
http.listen(0, '127.0.0.1', () => console.log('Port', (http.address() as AddressInfo).port))
