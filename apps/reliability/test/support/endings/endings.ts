import { HTTP2_MOUNTS } from '@jetway-apps/test-support/http2-mounts'
import { NODE_MOUNTS } from '@jetway-apps/test-support/mounts'
import { type Leaving, type Send, sendHttp1, sendHttp2 } from './wire.ts'

/** A way in which a connection can end. */
export interface Ending {
  readonly name: string
  readonly mounts: typeof NODE_MOUNTS
  readonly send: Send
  readonly leave: Leaving
  /** The number of identical requests that follow a stream that does not end, on the same connection. */
  readonly pipelined?: number
  /** Whether the server responds to a call and then closes the connection itself. */
  readonly byServer?: boolean
}

const http1 = { mounts: NODE_MOUNTS, send: sendHttp1() }
const http2 = { mounts: HTTP2_MOUNTS, send: sendHttp2 }
const asHttp10 = (bytes: string): string => bytes.replace('HTTP/1.1', 'HTTP/1.0')
const closing = (bytes: string): string => bytes.replace('\r\n', '\r\nconnection: close\r\n')

export const ENDINGS: readonly Ending[] = [
  { name: 'is closed', ...http1, leave: 'close' },
  { name: 'is closed with pipelined requests', ...http1, leave: 'close', pipelined: 3 },
  { name: 'is half-closed', ...http1, leave: 'half-close' },
  { name: 'is reset', ...http1, leave: 'reset' },
  {
    name: 'ends after Connection: close',
    ...http1,
    send: sendHttp1(closing),
    leave: 'close',
    byServer: true,
  },
  { name: 'ends as in HTTP/1.0', ...http1, send: sendHttp1(asHttp10), leave: 'close', byServer: true },
  { name: 'uses HTTP/2 and has its streams cancelled', ...http2, leave: 'cancel' },
  { name: 'uses HTTP/2 and is closed', ...http2, leave: 'close' },
]
