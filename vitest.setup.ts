import { configureGlobal } from 'fast-check'
import { vi } from 'vitest'

// The same values in every run, so that no change fails for a value that it did not bring; `JETWAY_SEED` draws others.
configureGlobal({ seed: Number(process.env['JETWAY_SEED'] ?? 20_241_105) })

const { waitFor, waitUntil } = vi
/** Ends a wait for what never comes, in ms: no test is timed, and a busy machine may need many times Vitest's second. */
const PATIENCE = 20_000

const patient = <T extends { readonly timeout?: number | undefined }>(options: number | T | undefined): T =>
  ({ timeout: PATIENCE, ...(typeof options === 'number' ? { timeout: options } : options) }) as T

vi.waitFor = (callback, options) => waitFor(callback, patient(options))
vi.waitUntil = (callback, options) => waitUntil(callback, patient(options))
