/** A `StdioRelay` between a client and processes. Their messages are passed in memory. */
import { PassThrough } from 'node:stream'
import { settled } from '@jetway-apps/test-support'
import { StdioTransport } from '@jetway/stdio'
import { onTestFinished } from 'vitest'
import type { ServedProcess } from '../../../src/dev/client-side.ts'
import { StdioRelay } from '../../../src/dev/stdio/stdio-relay.ts'
import { INITIALIZE } from './raw-http.ts'

// oxlint-disable-next-line typescript/no-explicit-any
export type Message = any

/** One end of a pair of streams. */
export interface Peer {
  /** All messages that this end has received. */
  readonly got: Message[]
  /** Returns the messages received since the last call of `take`. */
  readonly take: () => readonly Message[]
  /** Writes messages, or text unchanged. */
  readonly write: (...messages: readonly (object | string)[]) => Promise<void>
}

export interface Process extends Peer {
  readonly child: ServedProcess
}

export interface StdioFront {
  readonly relay: StdioRelay
  readonly client: Peer & { end(): Promise<void> }
  readonly printed: string[]
  /**
   * Creates a process that is not yet in use. `answer` returns the responses to the requests that it receives.
   */
  readonly spawn: (answer?: Answer) => Process
  /** Creates a process that is serving. */
  readonly start: (answer?: Answer) => Promise<Process>
}

/** Returns a result, an error, or undefined for no response. */
export type Answer = (message: Message) => object | undefined

/** Connects two streams. `answer` is called for each line. */
function peer(input: PassThrough, output: PassThrough, answer: Answer = () => undefined): Peer {
  const got: Message[] = []
  let taken = 0
  const write = async (...messages: readonly (object | string)[]): Promise<void> => {
    for (const message of messages)
      output.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`)
    await settled()
  }
  let rest = ''
  input.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const message = parse(line)
      got.push(message)
      const answered = answer(message)
      if (answered !== undefined) void write({ jsonrpc: '2.0', id: message.id, ...answered })
    }
  })
  return {
    got,
    write,
    take: () => got.slice(taken, (taken = got.length)),
  }
}

const parse = (line: string): Message => {
  try {
    return JSON.parse(line)
  } catch {
    return line
  }
}

export function relayStdio(): StdioFront {
  const printed: string[] = []
  const [toRelay, fromRelay] = [new PassThrough(), new PassThrough()]
  const transport = new StdioTransport({ input: toRelay, output: fromRelay })
  const relay = new StdioRelay(transport, (text) => printed.push(text))
  onTestFinished(() => transport.destroy())
  let generation = 0
  const spawn = (answer?: Answer): Process => {
    const [input, output] = [new PassThrough(), new PassThrough()]
    const lines = new StdioTransport({ input: output, output: input })
    onTestFinished(() => lines.destroy())
    return {
      ...peer(input, output, answer),
      child: { generation: ++generation, port: 0, ended: false, lines },
    }
  }
  return {
    relay,
    printed,
    client: {
      ...peer(fromRelay, toRelay),
      async end() {
        toRelay.end()
        await settled()
      },
    },
    spawn,
    async start(answer) {
      const process = spawn(answer)
      await relay.prepare(process.child)
      relay.use(process.child)
      await settled()
      return process
    },
  }
}

export const note = (method: string, params?: object) => ({
  jsonrpc: '2.0',
  method,
  ...(params !== undefined && { params }),
})
export const INITIALIZED = note('notifications/initialized')
/** Returns the responses of a server that has these tools in a revision named `r`. */
export const server =
  (tools: readonly string[] = [], more: Answer = () => undefined): Answer =>
  (message: Message) => {
    const own = more(message)
    if (own !== undefined) return own
    const capabilities = { tools: { listChanged: true } }
    if (message.method === 'initialize') return { result: { protocolVersion: 'r', capabilities } }
    if (message.method === 'tools/list') return { result: { tools: tools.map((name) => ({ name })) } }
    return String(message.id).startsWith('jetway-dev:') ? { result: {} } : undefined
  }

/** Opens a session from the client. */
export async function initialize({ client }: StdioFront): Promise<void> {
  await client.write(INITIALIZE)
  await client.write(INITIALIZED)
  await settled()
  client.take()
}
