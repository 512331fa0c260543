import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type Reply, ReplyReader } from './reply-reader.ts'

/** One keep-alive connection with one request in flight. */
export class HttpConnection {
  readonly #socket: Socket
  readonly #reader = new ReplyReader()
  #onReply: ((reply: Reply) => void) | undefined
  #onError: ((error: Error) => void) | undefined

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on('data', (chunk: Buffer) => {
      const reply = this.#reader.push(chunk)
      if (reply !== undefined) this.#onReply?.(reply)
    })
    socket.on('error', (error) => this.#onError?.(error))
    socket.on('close', () => this.#onError?.(new Error('The server closed the connection')))
  }

  static async open(port: number): Promise<HttpConnection> {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    return new HttpConnection(socket)
  }

  /**
   * Sets the callbacks for replies and errors. They remain in use until the next call. Load runs use this
   * method, because a promise for each reply costs time.
   */
  listen(onReply: (reply: Reply) => void, onError: (error: Error) => void): void {
    this.#onReply = onReply
    this.#onError = onError
  }

  write(request: string): void {
    this.#socket.write(request, 'latin1')
  }

  /** Sends one request and waits for its reply. */
  exchange(request: string): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.listen(resolve, reject)
      this.write(request)
    })
  }

  close(): void {
    this.#onError = undefined
    this.#socket.destroy()
  }
}
