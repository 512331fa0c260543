import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import type { TransportClose } from '@jetway/core/transport'
import { onTestFinished } from 'vitest'
import { ChildProcessTransport } from '../../../src/stdio/child-process.ts'
import type { ChildProcessOptions } from '../../../src/stdio/options.ts'

const SERVER = fileURLToPath(new URL('server.mjs', import.meta.url))

/** A transport to a process that misbehaves as specified by `args`, with the messages received. */
export interface Started {
  readonly transport: ChildProcessTransport
  /** Resolves to the next message, as JSON. */
  readonly message: () => Promise<unknown>
  readonly malformed: string[]
  readonly closed: Promise<TransportClose>
  /** The messages and the end of the connection, in the order of their arrival. */
  readonly order: string[]
}

export async function start(
  args: readonly string[],
  options: Partial<ChildProcessOptions> = {},
): Promise<Started> {
  const transport = new ChildProcessTransport({
    command: execPath,
    args: [SERVER, ...args],
    stderr: 'ignore',
    ...options,
  })
  onTestFinished(() => transport.close())
  const messages: unknown[] = []
  const waiting: ((value: unknown) => void)[] = []
  const malformed: string[] = []
  const order: string[] = []
  let hear!: (reason: TransportClose) => void
  const closed = new Promise<TransportClose>((resolve) => {
    hear = resolve
  })
  await transport.start({
    message: (text) => {
      order.push(text)
      const value = JSON.parse(text) as unknown
      const next = waiting.shift()
      if (next === undefined) messages.push(value)
      else next(value)
    },
    malformed: (reason) => malformed.push(reason),
    close: (reason) => {
      order.push('closed')
      hear(reason)
    },
  })
  const message = (): Promise<unknown> =>
    messages.length > 0 ? Promise.resolve(messages.shift()) : new Promise((resolve) => waiting.push(resolve))
  return { transport, message, malformed, closed, order }
}

export { runs } from '@jetway-apps/test-support/processes'
