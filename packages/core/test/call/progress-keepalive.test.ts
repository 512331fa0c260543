import { FakeClock, logLines, notification } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import { McpServer } from '../../src/index.ts'
import type { ServerOptions } from '../../src/server/options.ts'
import type { RequestContext } from '../../src/call/request-context.ts'
import { openPeer, type Peer } from '../support/peer.ts'

const SECOND = 1_000

interface Served {
  readonly server: McpServer
  readonly clock: FakeClock
  readonly peer: Peer
  /** The values that the client has received so far. */
  readonly received: () => readonly number[]
}

/** A server whose only tool runs the handler, and its client. */
async function serve(
  handler: (ctx: RequestContext, clock: FakeClock) => unknown,
  options: ServerOptions = {},
): Promise<Served> {
  const clock = new FakeClock()
  const server = new McpServer({ name: 'test', version: '1' }, { clock, ...options })
  server.addTool({ name: 'work', handler: (_args, ctx) => handler(ctx, clock) })
  const peer = await openPeer(server)
  return {
    server,
    clock,
    peer,
    received: () => peer.notifications.map(({ params }) => (params as { progress: number }).progress),
  }
}

const wait = (clock: FakeClock, ms: number): Promise<void> =>
  new Promise((resolve) => clock.setTimeout(resolve, ms))

/** Calls the tool, and waits until the handler has started. */
async function call(
  { peer, clock }: Pick<Served, 'peer' | 'clock'>,
  token?: string | number,
): Promise<{ readonly answer: ReturnType<Peer['request']> }> {
  const meta = token === undefined ? {} : { _meta: { progressToken: token } }
  const answer = peer.request('tools/call', { name: 'work', ...meta })
  await clock.advance(0)
  return { answer }
}

describe('the keepalive for a call with a progress token', () => {
  it.each(['token', '', 0, 7])(
    'is sent every 15 s until the response, with the progress token %j',
    async (token) => {
      const { clock, peer } = await serve((_ctx, time) => wait(time, 50 * SECOND))
      const { answer } = await call({ peer, clock }, token)
      await clock.advance(14_999)
      expect(peer.notifications).toEqual([])
      await clock.advance(35_001)
      await answer
      await clock.advance(120 * SECOND)
      expect(peer.notifications).toEqual(
        [0, 0.000001, 0.000002].map((progress) =>
          notification('notifications/progress', { progressToken: token, progress }),
        ),
      )
    },
  )

  it('is sent when the handler has reported nothing for 15 s', async () => {
    const { clock, peer, received } = await serve(async (ctx, time) => {
      await wait(time, 10 * SECOND)
      await ctx.progress(1, 4)
      await wait(time, 14 * SECOND)
      await ctx.progress(2, 4)
      await wait(time, 20 * SECOND)
      await ctx.progress(3, 4)
    })
    const { answer } = await call({ peer, clock }, 1)
    await clock.advance(44 * SECOND)
    await answer
    expect(received()).toEqual([1, 2, 2.000002, 3])
  })

  it('is sent even if the handler reports values that are dropped', async () => {
    const { clock, peer, received } = await serve(async (ctx, time) => {
      for (let n = 0; n < 4; n++) {
        await ctx.progress(1)
        await wait(time, 10 * SECOND)
      }
    })
    const { answer } = await call({ peer, clock }, 1)
    await clock.advance(40 * SECOND)
    await answer
    expect(received()).toEqual([1, 1.000001, expect.closeTo(1.000002, 9)])
  })

  it("does not extend the call's time limit", async () => {
    const logger = logLines()
    const { clock, peer, received } = await serve((_ctx, time) => wait(time, 600 * SECOND), { logger })
    const { answer } = await call({ peer, clock }, 1)
    await clock.advance(60 * SECOND)
    expect((await answer).result).toMatchObject({ isError: true })
    expect(logger.lines).toEqual([expect.stringContaining('it reported no progress for 60000 ms')])
    await clock.advance(600 * SECOND)
    expect(received()).toHaveLength(3)
  })

  it('is no longer sent after the call has been cancelled', async () => {
    const { clock, peer, received } = await serve((_ctx, time) => wait(time, 50 * SECOND))
    await call({ peer, clock }, 1)
    await clock.advance(20 * SECOND)
    peer.notify('notifications/cancelled', { requestId: 2 })
    await clock.advance(0)
    await clock.advance(120 * SECOND)
    expect(received()).toEqual([0])
  })

  it('uses a single timer for all calls, and clears it when the server closes', async () => {
    const { server, clock, peer } = await serve((_ctx, time) => wait(time, 20 * SECOND))
    const idle = clock.pending
    const answers = []
    for (let token = 0; token < 20; token++) answers.push((await call({ peer, clock }, token)).answer)
    // The timers are one for each handler, one for all time limits, and one for all keepalives.
    expect(clock.pending).toBe(idle + 20 + 2)
    await clock.advance(20 * SECOND)
    await Promise.all(answers)
    expect(peer.notifications).toHaveLength(20)
    await server.close()
    expect(clock.pending).toBe(0)
  })

  it('is sent on time even if other calls start later', async () => {
    const { clock, peer } = await serve((_ctx, time) => wait(time, 50 * SECOND))
    const tokens = (): unknown[] =>
      peer.notifications.splice(0).map(({ params }) => (params as { progressToken: unknown }).progressToken)
    const { answer: first } = await call({ peer, clock }, 'a')
    await clock.advance(5 * SECOND)
    const { answer: second } = await call({ peer, clock }, 'b')
    const due: unknown[] = []
    for (let at = 6; at <= 36; at++) {
      await clock.advance(SECOND)
      due.push(...tokens().map((token) => `${at} ${String(token)}`))
    }
    expect(due).toEqual(['15 a', '20 b', '30 a', '35 b'])
    await clock.advance(30 * SECOND)
    await Promise.all([first, second])
  })
})

describe('a keepalive', () => {
  it('is not sent to a client that did not request progress', async () => {
    const { clock, peer } = await serve((_ctx, time) => wait(time, 50 * SECOND))
    const idle = clock.pending
    const { answer } = await call({ peer, clock })
    expect(clock.pending).toBe(idle + 2)
    await clock.advance(50 * SECOND)
    await answer
    expect(peer.notifications).toEqual([])
  })

  it('is not sent if `progressHeartbeat` is false', async () => {
    const { clock, peer } = await serve((_ctx, time) => wait(time, 50 * SECOND), { progressHeartbeat: false })
    const { answer } = await call({ peer, clock }, 1)
    await clock.advance(50 * SECOND)
    await answer
    expect(peer.notifications).toEqual([])
  })
})

describe('the `progressHeartbeat` option', () => {
  it('sets the interval in ms', async () => {
    const { clock, peer, received } = await serve((_ctx, time) => wait(time, SECOND), {
      progressHeartbeat: 300,
    })
    const { answer } = await call({ peer, clock }, 1)
    await clock.advance(SECOND)
    await answer
    expect(received()).toHaveLength(3)
  })

  it.each([0, -1, Number.NaN, 2 ** 31, true as unknown as number])('rejects %s', (progressHeartbeat) => {
    expect(() => new McpServer({ name: 'x', version: '1' }, { progressHeartbeat })).toThrow(
      /progressHeartbeat.*ERR_MCP_OPTION/,
    )
  })
})
