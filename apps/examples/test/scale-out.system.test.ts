import { startRedis } from '@jetway-apps/test-support/redis'
import { expect, it } from 'vitest'
import { call, openSession, withProcess } from './support.ts'

it('the replica of the guide: another process continues the session', async () => {
  const redis = await startRedis()
  const env = { REDIS_URL: redis.url }
  try {
    await withProcess('scale-out/replica', env, async (first) =>
      withProcess('scale-out/replica', env, async (second) => {
        const session = await openSession(`${first}/mcp`)
        for (const origin of [second, first, second]) {
          const text = await call(`${origin}/mcp`, 'count', session, { to: 1 })
          expect(text).toMatch(/Counted to 1 in process \d+/)
        }
        expect((await fetch(`${second}/readyz`)).status).toBe(200)
      }),
    )
  } finally {
    await redis.stop()
  }
})
