import { onTestFinished, vi } from 'vitest'

/** Fakes timers and the date until the end of the test. */
export function useFakeTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  onTestFinished(() => void vi.useRealTimers())
}
