import { silent } from '@jetway-apps/test-support'
import { McpServer } from '@jetway/core'
import { createMemoryTransportPair } from '@jetway/core/transport'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { connectPeer, type TestConnection } from '../../src/peer.ts'

export const CANARY = 'canary-4711'
export const LATEST = '2025-11-25'
export const BATCHING = '2025-03-26'

const unhandled: unknown[] = []
const note = (reason: unknown): void => void unhandled.push(reason)
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

export interface Bench {
  readonly server: McpServer
  readonly peer: TestConnection
  /** All arguments that have reached a handler. */
  readonly reached: unknown[]
}

export async function serve(revision: string = LATEST): Promise<Bench> {
  const reached: unknown[] = []
  const server = new McpServer({ name: 'target', version: '1.0.0' }, { logger: silent })
  server.addTool({
    name: 'echo',
    inputSchema: { type: 'object' },
    handler(args) {
      reached.push(args)
      return args
    },
  })
  server.addPrompt({ name: 'prompt', arguments: [{ name: 'a' }], handler: ({ a = '' }) => a })
  server.addResourceTemplate({ uriTemplate: 'x://{id}', name: 'x', handler: ({ id }) => id })
  const [client, end] = createMemoryTransportPair()
  server.connect(end)
  const peer = await connectPeer(client, { revision })
  return { server, peer, reached }
}

/** Checks that the server still responds. Returns all unexpected messages that it has sent. */
export async function alive({ peer }: Bench): Promise<readonly unknown[]> {
  await turn()
  expect(await peer.request('ping', undefined, { id: 'sentinel' })).toEqual({
    jsonrpc: '2.0',
    id: 'sentinel',
    result: {},
  })
  return peer.strays
}

/** Makes each test in the file fail if there was an unhandled rejection or exception. */
export function failOnUnhandled(): void {
  beforeAll(() => {
    process.on('unhandledRejection', note)
    process.on('uncaughtException', note)
  })
  afterAll(() => {
    process.off('unhandledRejection', note)
    process.off('uncaughtException', note)
  })
  afterEach(async () => {
    // Node reports an unhandled rejection only at the end of a turn.
    await turn()
    await turn()
    expect(unhandled.splice(0)).toEqual([])
  })
}
