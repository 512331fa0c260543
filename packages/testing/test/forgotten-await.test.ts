import { McpServer, type RequestContext } from '@jetway/core'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { fetchTransport, memoryTransport } from '../src/matrix-transports.ts'
import { describeMatrix } from '../src/matrix.ts'

const ASKING: readonly [method: string, ask: (ctx: RequestContext) => Promise<unknown>][] = [
  ['elicit', (ctx) => ctx.elicit('Name?', z.object({ name: z.string() }))],
  ['elicitUrl', (ctx) => ctx.elicitUrl('Sign in', 'https://example.com/sign-in')],
  ['sample', (ctx) => ctx.sample({ messages: [], maxTokens: 1 })],
  ['listRoots', (ctx) => ctx.listRoots()],
  ['request', (ctx) => ctx.request('roots/list')],
]
const ALL = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} }
const CLIENTS = [
  ['lacks the capability', {}],
  ['answers too late', ALL],
] as const
const REVISIONS = ['2026-07-28', '2025-11-25']
const TRANSPORTS = [memoryTransport, fetchTransport]

/** Collects unhandled rejections. Without a listener, they would end the process. */
function watchRejections(): unknown[] {
  const seen: unknown[] = []
  const listener = (error: unknown): void => void seen.push(error)
  process.on('unhandledRejection', listener)
  onTestFinished(() => void process.off('unhandledRejection', listener))
  return seen
}

function serverWith(handler: (args: unknown, ctx: RequestContext) => unknown): {
  server: McpServer
  warned: unknown[]
} {
  const warned: unknown[] = []
  const warn = (...entry: unknown[]): void => void warned.push(entry)
  const logger = { debug() {}, info() {}, error() {}, warn }
  const server = new McpServer({ name: 'forgetful', version: '1' }, { logger })
  server.addTool({ name: 'x', handler: handler as () => string })
  return { server, warned }
}

/** Node reports unhandled rejections after all microtasks have run. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
const answerLate = (): Promise<{}> => turn().then(() => ({}))

describeMatrix('a forgotten await', { transports: TRANSPORTS, revisions: REVISIONS }, ({ connect }) => {
  for (const [client, capabilities] of CLIENTS) {
    it.each(ASKING)(
      `does not crash the process when ctx.%s is not awaited and the client ${client}`,
      async (method, ask) => {
        const rejections = watchRejections()
        const { server, warned } = serverWith((_args, ctx) => {
          void ask(ctx)
          return 'hi'
        })
        const peer = await connect(server, { capabilities, onRequest: answerLate })
        const reply = await peer.request('tools/call', { name: 'x', arguments: {} })
        expect(reply.result).toMatchObject({ content: [{ text: 'hi' }] })
        await turn()
        expect(rejections).toEqual([])
        const problem = `The tool "x" returned before its ctx.${method} was answered; await it`
        expect(warned).toEqual([[{ requestId: expect.anything(), method: 'tools/call', name: 'x' }, problem]])
      },
    )
  }

  it('is logged once, even if a handler forgets several awaits', async () => {
    const { server, warned } = serverWith((_args, ctx) => {
      for (const [, ask] of ASKING) void ask(ctx)
      return 'hi'
    })
    const peer = await connect(server, { capabilities: ALL, onRequest: answerLate })
    await peer.request('tools/call', { name: 'x', arguments: {} })
    await turn()
    expect(warned).toHaveLength(1)
  })

  it('is not logged if the handler awaits the promise and catches the error', async () => {
    const { server, warned } = serverWith(async (_args, ctx) => {
      await ctx.listRoots().catch((error: Error) => expect(error.message).toMatch(/roots|ctx\.listRoots/))
      await expect(ctx.listRoots()).rejects.toThrow()
      return 'caught'
    })
    const peer = await connect(server, {})
    const reply = await peer.request('tools/call', { name: 'x', arguments: {} })
    expect(reply.result).toMatchObject({ content: [{ text: 'caught' }] })
    expect(warned).toEqual([])
  })
})
