import { once } from 'node:events'
import { type ClientHttp2Stream, connect as connectHttp2, constants } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { bytesOf, HEADERS } from '@jetway-apps/test-support/http'

/** A request to a mount. */
export interface Asked {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Whether to omit the last byte of the body. */
  readonly incomplete?: boolean
}

/** The requests on a connection. */
export interface Sent {
  readonly received: () => string
  /** Resolves when the connection ends. */
  readonly closed: Promise<unknown>
  /** Ends the connection as a client would. */
  readonly leave: (how: Leaving) => void
}

export type Leaving = 'close' | 'half-close' | 'reset' | 'cancel'

/** Sends requests on one connection without waiting for replies. */
export type Send = (port: number, requests: readonly Asked[]) => Promise<Sent>

/** Sends over HTTP/1. */
export const sendHttp1 =
  (change: (request: string) => string = (request) => request): Send =>
  async (port, requests) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    let received = ''
    socket.setEncoding('utf8').on('data', (text: string) => (received += text))
    socket.on('end', () => socket.end()).on('error', () => {})
    const closed = new Promise((resolve) => void socket.once('close', resolve))
    await once(socket, 'connect')
    socket.write(requests.map((asked) => change(bytes(asked))).join(''))
    return { received: () => received, closed, leave: (how) => leave(socket, how) }
  }

function bytes({ method, path, headers, body = '', incomplete }: Asked): string {
  const whole = bytesOf(path, body, headers, method)
  return incomplete === true ? whole.slice(0, -1) : whole
}

function leave(socket: Socket, how: Leaving): void {
  if (how === 'reset') socket.resetAndDestroy()
  else if (how === 'half-close') socket.end()
  else socket.destroy()
}

/** Sends over HTTP/2, each request on its own stream. */
export const sendHttp2: Send = async (port, requests) => {
  const session = connectHttp2(`http://127.0.0.1:${port}`)
  let received = ''
  session.on('error', () => {})
  const closed = new Promise((resolve) => void session.once('close', resolve))
  const streams = requests.map(({ method, path, headers, body = '', incomplete }): ClientHttp2Stream => {
    const stream = session.request({ ':method': method, ':path': path, ...HEADERS, ...headers })
    stream.setEncoding('utf8').on('data', (text: string) => (received += text))
    stream.on('error', () => {}).on('response', (head) => (received += JSON.stringify(head)))
    if (incomplete === true) stream.write(body.slice(0, -1))
    else stream.end(body)
    return stream
  })
  return {
    received: () => received,
    closed,
    leave(how) {
      if (how === 'cancel') for (const stream of streams) stream.close(constants.NGHTTP2_CANCEL)
      else session.destroy()
    },
  }
}
