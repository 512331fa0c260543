import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { SessionHeaders } from './http-session.ts'

/**
 * A string that each notification contains exactly once. Servers send a small notification in one write, so the
 * string is never split across chunks.
 */
const MARK = '"jsonrpc"'

/** An open GET stream that counts its notifications. */
export class EventStream {
  /** Called for each notification. */
  onNotification: () => void = () => {}
  readonly #socket: Socket

  private constructor(socket: Socket) {
    this.#socket = socket
  }

  /** Resolves when the headers of the stream's response have arrived. */
  static async open(port: number, headers: SessionHeaders): Promise<EventStream> {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    const stream = new EventStream(socket)
    socket.setEncoding('latin1')
    socket.write(get(port, headers))
    const [head] = (await once(socket, 'data')) as [string]
    if (!head.startsWith('HTTP/1.1 200')) throw new Error(`GET was answered ${head.slice(0, 300)}`)
    socket.on('data', (text: string) => stream.#count(text))
    socket.once('end', () => socket.destroy(new Error('The server ended a stream')))
    return stream
  }

  close(): void {
    this.#socket.destroy()
  }

  #count(text: string): void {
    for (let at = text.indexOf(MARK); at !== -1; at = text.indexOf(MARK, at + MARK.length))
      this.onNotification()
  }
}

function get(port: number, headers: SessionHeaders): string {
  const lines = Object.entries({ host: `127.0.0.1:${port}`, accept: 'text/event-stream', ...headers })
  return `GET /mcp HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
}
