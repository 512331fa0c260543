import process from 'node:process'
import { deferred, initialize } from '@jetway-apps/test-support'
import { post } from '@jetway-apps/test-support/http'
import { FRAMEWORKS, listenForTest, type Mounted } from '@jetway-apps/test-support/mounts'
import { program } from '@jetway-tools/runtimes/program'
import { McpServer } from '@jetway/core'
import { toFetch } from '@jetway/core/http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { CLIENTS, type Driver, MODERN_CLIENTS, SSE_CLIENTS } from './support/clients.ts'
import type { Target } from './support/processes.ts'

// The official clients wait 60 s for a missing response, which exceeds the time limit of these tests.

type Connect = (target: Target) => Promise<Driver>
type Clients = Readonly<Record<string, Connect>>

const ENDED = /The server ended the call/
const PROGRAM = program(new URL('./support/serve-ending.ts', import.meta.url))

interface Calling {
  readonly mounted: Mounted
  readonly driver: Driver
  /** Calls a tool that never returns. Resolves when its handler runs. */
  readonly call: () => Promise<{ readonly rejected: Promise<unknown> }>
}

/** @param reports - whether the call reports progress on a stream */
async function calling(
  connect: Connect,
  mount: (typeof FRAMEWORKS)['Fastify'],
  reports: boolean,
): Promise<Calling> {
  const running = deferred()
  const server = new McpServer({ name: 'ending', version: '1.0.0' })
  server.addTool({
    name: 'hang',
    async handler(_args, ctx) {
      if (reports) await ctx.progress(1)
      running.resolve()
      return new Promise<string>(() => {})
    },
  })
  const mounted = await mount(server, { legacySse: true })
  onTestFinished(mounted.stop)
  const driver = await connect({ url: `${mounted.origin}/mcp` })
  onTestFinished(() => driver.close().catch(() => {}))
  const call = async (): Promise<{ readonly rejected: Promise<unknown> }> => {
    const rejected = expect(driver.callTool('hang', {}, { onprogress: () => {} })).rejects.toThrow(ENDED)
    await running.promise
    return { rejected }
  }
  return { mounted, driver, call }
}

const everyClient: Clients = { ...CLIENTS, ...MODERN_CLIENTS, ...SSE_CLIENTS }

describe.each(Object.entries(FRAMEWORKS))('on %s', (_framework, mount) => {
  describe.each([
    ['before the call sends a message', false],
    ['while the call reports progress', true],
  ])('a call that is ended by the server %s', (_when, reports) => {
    it.each(Object.entries(everyClient))(
      'rejects immediately in the official client %s if the mount closes',
      async (_, connect) => {
        const { mounted, call } = await calling(connect, mount, reports)
        const { rejected } = await call()
        await mounted.handle.close({ deadline: 0 })
        await rejected
      },
    )

    it.each(Object.entries(CLIENTS))(
      'rejects immediately in the official client %s if its session is deleted',
      async (_, connect) => {
        const { driver, call } = await calling(connect, mount, reports)
        const { rejected } = await call()
        await driver.deleteSession()
        await rejected
      },
    )
  })
})

describe('a mount limited to one session', () => {
  it.each(Object.entries(CLIENTS))(
    'keeps the session of the official client %s until its call ends, and then evicts that session',
    async (_, connect) => {
      const [started, end] = [deferred(), deferred<string>()]
      const server = new McpServer({ name: 'small', version: '1.0.0' })
      onTestFinished(() => server.close({ deadline: 0 }))
      server.addTool({
        name: 'wait',
        handler() {
          started.resolve()
          return end.promise
        },
      })
      const handle = toFetch(server, { sessions: { max: 1 } })
      // GET is refused, because a session with an open stream would not count as idle.
      const origin = await listenForTest((request) =>
        request.method === 'GET' ? new Response(null, { status: 405 }) : handle(request),
      )
      const url = `${origin}/mcp`
      const driver = await connect({ url })
      onTestFinished(() => driver.close().catch(() => {}))
      const openAnother = async (): Promise<number> => (await post(url, JSON.stringify(initialize()))).status

      const running = driver.callTool('wait')
      await started.promise
      expect(await openAnother()).toBe(503)
      end.resolve('finished')
      expect(await running).toMatchObject({ content: [{ text: 'finished' }] })
      expect(await openAnother()).toBe(200)
      await expect(driver.callTool('wait')).rejects.toThrow(/Session not found/)
    },
  )
})

describe('a call that the server ends over stdio', () => {
  it.each(Object.entries({ ...CLIENTS, ...MODERN_CLIENTS }))(
    'rejects immediately in the official client %s',
    async (_, connect) => {
      const driver = await connect({ command: process.execPath, args: [...PROGRAM, '--stdio'] })
      onTestFinished(() => driver.close())
      await expect(driver.callTool('hang')).rejects.toThrow(ENDED)
    },
  )
})
