import type { KeepAliveOptions } from '@jetway/core/http'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { FRAMEWORKS, type Mounted } from '@jetway-apps/test-support/mounts'
import { createServer, openSession, PUBLIC_URL, type Reply } from './behind-nginx.ts'
import { type GuideNginx, startGuideNginx } from './nginx.ts'

export interface Silence {
  /** How long nginx waits for data before it closes a connection. */
  readonly readTimeout: string
  /**
   * How long a call is silent, in ms: longer than that limit plus the time until the reply becomes a stream.
   */
  readonly silentMs: number
  readonly keepAlive: false | KeepAliveOptions
  /** The time limit of one test, in ms. */
  readonly timeoutMs: number
}

/** Tests silent streams behind nginx with each framework, with and without keep-alive. */
export function describeSilence({ readTimeout, silentMs, keepAlive, timeoutMs }: Silence): void {
  const mounts = Object.entries(FRAMEWORKS).flatMap(([name, mount]) =>
    [keepAlive, false as const].map((alive) => ({
      name,
      alive: alive !== false,
      serve: () => mount(createServer(), { publicUrl: PUBLIC_URL, streams: { keepAlive: alive } }),
    })),
  )
  const backends: Mounted[] = []
  let nginx: GuideNginx | undefined

  beforeAll(async () => {
    for (const { serve } of mounts) backends.push(await serve())
    nginx = await startGuideNginx(
      backends.map(({ port }) => port),
      readTimeout,
    )
  })
  afterAll(async () => {
    await nginx?.stop()
    for (const backend of backends) await backend.stop()
  })

  /** Opens a GET stream and a silent call concurrently. */
  async function beSilent(index: number): Promise<{ stream: Reply; call: Reply }> {
    const session = await openSession(nginx?.ports[index] ?? 0)
    const stream = await session.listen()
    const call = await session.beSilent(silentMs)
    return { stream, call }
  }

  describe.concurrent(`behind nginx with a read timeout of ${readTimeout}`, () => {
    for (const [index, { name, alive }] of mounts.entries()) {
      if (alive) {
        it(
          `${name}: a silent call and a silent stream stay open with keep-alive`,
          { timeout: timeoutMs },
          async () => {
            const { stream, call } = await beSilent(index)
            await call.ended
            expect(call.text()).toContain('"text":"at last"')
            expect([call.status, call.headers['content-type']]).toEqual([200, 'text/event-stream'])
            expect(stream.open()).toBe(true)
            backends[index]?.server.removeTool('echo')
            await vi.waitFor(() => expect(stream.text()).toContain('notifications/tools/list_changed'))
            stream.leave()
          },
        )
      } else {
        it(
          `${name}: a silent call and a silent stream are cut off without keep-alive`,
          { timeout: timeoutMs },
          async () => {
            const { stream, call } = await beSilent(index)
            await Promise.all([call.ended, stream.ended])
            expect(call.text()).not.toContain('at last')
          },
        )
      }
    }
  })
}
