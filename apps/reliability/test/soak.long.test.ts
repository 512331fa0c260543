import { FULL, type Sample, trendOf } from '@jetway-apps/test-support'
import { McpServer } from '@jetway/core'
import { createEndpoint } from '@jetway/core/http'
import { expect, it, vi } from 'vitest'
import { soak } from './support/soak.ts'

const MIB = 1024 * 1024
const HOURS = FULL ? 1 : 2 / 60
/** The allowed growth over the run. RSS is noisy, and does not settle within two minutes. */
const MAX_GROWTH = { heap: 5, rss: FULL ? 5 : 16 }
const MAX_DELAY_MS = 50
/** The stats of a mount without open connections. */
const IDLE = createEndpoint(new McpServer({ name: 'idle', version: '1.0.0' })).stats()

it(
  'a server under mixed load neither leaks memory nor blocks its event loop, and finally releases everything',
  { timeout: 4_000_000 },
  async ({ task }) => {
    const { steps, rss, heap, percent, delayMs, held } = await soak(HOURS * 3_600_000)
    const grown = { heap: growth(heap), rss: growth(rss) }
    const figure =
      `${steps} steps in ${Math.round(HOURS * 60)} minutes at ${Math.round(percent)} % of a processor: ` +
      `RSS at most +${grown.rss.toFixed(1)} MiB, heap +${grown.heap.toFixed(1)} MiB, delay p99 ${delayMs.toFixed(0)} ms`
    Object.assign(task.meta, { figure })
    expect(grown.heap, figure).toBeLessThanOrEqual(MAX_GROWTH.heap)
    expect(grown.rss, figure).toBeLessThanOrEqual(MAX_GROWTH.rss)
    expect(delayMs, figure).toBeLessThanOrEqual(MAX_DELAY_MS)
    await vi.waitFor(async () => expect((await held()).stats).toMatchObject(IDLE))
  },
)

/** Returns an upper bound for the growth of a measurement over the run, in MiB. */
const growth = (samples: readonly Sample[]): number => (trendOf(samples).upper * HOURS) / MIB
