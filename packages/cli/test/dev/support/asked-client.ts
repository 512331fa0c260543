import { deferred } from '@jetway-apps/test-support'
import { Client as OurClient } from '@jetway/client'
import { http } from '@jetway/client/http'
import { childProcess } from '@jetway/client/stdio'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { CreateMessageRequestSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { onTestFinished } from 'vitest'
import type { Target } from './clients.ts'

/** A client of revision 2025-11-25 that never answers the server's questions. */
export interface AskedClient {
  call(name: string): Promise<object>
  /** Resolves when the server has asked a question. */
  readonly asked: Promise<void>
  /** Resolves when the server has cancelled that request. */
  readonly cancelled: Promise<void>
}

type Connect = (target: Target, open: (signal: AbortSignal) => Promise<never>) => Promise<Connected>

interface Connected {
  call(name: string): Promise<object>
  close(): Promise<void>
}

const INFO = { name: 'asked', version: '1.0.0' }

const CONNECT: Readonly<Record<string, Connect>> = {
  async 'official v1'(target, open) {
    const client = new ClientV1(INFO, { capabilities: { elicitation: {}, sampling: {} } })
    client.setRequestHandler(ElicitRequestSchema, (_, { signal }) => open(signal))
    client.setRequestHandler(CreateMessageRequestSchema, (_, { signal }) => open(signal))
    await client.connect(
      'url' in target
        ? new StreamableHTTPClientTransport(new URL(target.url))
        : new StdioClientTransport({ ...target, stderr: 'ignore' }),
    )
    return { call: (name) => client.callTool({ name }), close: () => client.close() }
  },
  async Jetway(target, open) {
    const handlers = {
      elicit: (_: unknown, { signal }: { readonly signal: AbortSignal }) => open(signal),
      sample: (_: unknown, { signal }: { readonly signal: AbortSignal }) => open(signal),
    }
    const client = new OurClient(INFO, { revisions: ['2025-11-25'], handlers })
    await client.connect(
      'url' in target ? http(target.url) : childProcess({ ...target, inheritEnv: 'all', stderr: 'ignore' }),
    )
    return { call: (name) => client.callTool(name), close: () => client.close() }
  },
}

export const ASKED_CLIENTS: readonly string[] = Object.keys(CONNECT)

export async function connectAsked(name: string, target: Target): Promise<AskedClient> {
  const asked = deferred()
  const cancelled = deferred()
  const client = await (CONNECT[name] as Connect)(
    target,
    (signal) =>
      new Promise((_, reject) => {
        asked.resolve()
        signal.addEventListener('abort', () => {
          cancelled.resolve()
          reject(new Error('cancelled'))
        })
      }),
  )
  onTestFinished(() => client.close())
  return { call: (tool) => client.call(tool), asked: asked.promise, cancelled: cancelled.promise }
}
