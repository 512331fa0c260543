import { configureGlobal } from 'fast-check'
import { vi } from 'vitest'

// Property tests use the same values in every run, so a failure comes from the change under test. `JETWAY_SEED` sets
// others.
configureGlobal({ seed: Number(process.env['JETWAY_SEED'] ?? 20_241_105) })

const { waitFor, waitUntil } = vi
/** In ms. Vitest's default of 1 s is too short on a busy machine. */
const WAIT_TIMEOUT = 20_000

const withTimeout = <T extends { readonly timeout?: number | undefined }>(
  options: number | T | undefined,
): T => ({ timeout: WAIT_TIMEOUT, ...(typeof options === 'number' ? { timeout: options } : options) }) as T

vi.waitFor = (callback, options) => waitFor(callback, withTimeout(options))
vi.waitUntil = (callback, options) => waitUntil(callback, withTimeout(options))

// Time limits of tests would not work, and a test that waits would wait for ever.
if ('clock' in setTimeout || 'clock' in Date)
  throw new Error('An earlier test file has left fake timers in this process')
