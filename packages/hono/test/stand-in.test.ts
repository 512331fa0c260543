import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { afterEach, describe, expect, test } from 'vitest'
import { HEADERS, TOUCHED, type Touched, touched, UNTOUCHED } from '../src/stand-in.ts'

let server: Server | undefined
afterEach(
  () =>
    new Promise((resolve) => (server?.close(resolve) ?? resolve(undefined), server?.closeAllConnections())),
)

/** Returns what `touched` reports for a request from `@hono/node-server` after `read` has run. */
async function after(read: (request: Request) => unknown): Promise<Touched> {
  let found: Touched | undefined
  const listener = getRequestListener(async (request) => {
    await read(request)
    found = touched(request)
    return new Response()
  })
  server = createServer((incoming, outgoing) => void listener(incoming, outgoing))
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: 'x' })
  if (found === undefined) throw new Error('The request was not seen')
  return found
}

describe('`touched`', () => {
  // The order matters: the first request must be read before `touched` has seen any.
  test.for<[string, (request: Request) => unknown, Touched]>([
    ['its headers', (request) => request.headers.get('host'), HEADERS],
    ['nothing', () => {}, UNTOUCHED],
    ['its method and address', (request) => request.method + request.url, UNTOUCHED],
    ['its headers, and a change to them', (request) => request.headers.set('host', 'x'), HEADERS],
    ['its signal', (request) => request.signal, TOUCHED],
    ['a clone', (request) => request.clone().text(), TOUCHED],
    ['its body as a stream', (request) => request.body, TOUCHED],
  ])('detects what has been read from a @hono/node-server request: %s', async ([, read, expected]) => {
    expect(await after(read)).toBe(expected)
  })

  test('treats a Request created by the runtime as already read', () => {
    expect(touched(new Request('http://127.0.0.1/'))).toBe(TOUCHED)
  })

  test('treats an instance of a Request subclass as already read, because its internals are unknown', () => {
    class Other extends Request {}
    expect(touched(new Other('http://127.0.0.1/'))).toBe(TOUCHED)
  })
})
