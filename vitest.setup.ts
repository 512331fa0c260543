import { vi } from 'vitest'

const { waitFor, waitUntil } = vi
/** Ends a wait for what never comes, in ms: no test is timed, and a busy machine may need many times Vitest's second. */
const PATIENCE = 20_000

const patient = <T extends { readonly timeout?: number | undefined }>(options: number | T | undefined): T =>
  ({ timeout: PATIENCE, ...(typeof options === 'number' ? { timeout: options } : options) }) as T

vi.waitFor = (callback, options) => waitFor(callback, patient(options))
vi.waitUntil = (callback, options) => waitUntil(callback, patient(options))
