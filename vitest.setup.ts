import { configureGlobal } from 'fast-check'
import { afterAll, beforeEach, vi } from 'vitest'

// Property tests use the same values in every run, so that a failure is caused by the change under test.
// `JETWAY_SEED` sets another seed.
configureGlobal({ seed: Number(process.env['JETWAY_SEED'] ?? 20_241_105) })

const { waitFor, waitUntil } = vi
/** The timeout in ms. Vitest's default of 1 s is too short on a busy machine. */
const WAIT_TIMEOUT = 20_000

const withTimeout = <T extends { readonly timeout?: number | undefined }>(
  options: number | T | undefined,
): T => ({ timeout: WAIT_TIMEOUT, ...(typeof options === 'number' ? { timeout: options } : options) }) as T

vi.waitFor = (callback, options) => waitFor(callback, withTimeout(options))
vi.waitUntil = (callback, options) => waitUntil(callback, withTimeout(options))

// With fake timers, test timeouts would not work, and a test that waits would wait forever.
if ('clock' in setTimeout || 'clock' in Date)
  throw new Error('An earlier test file has left fake timers in this process')

interface Output {
  /** What was printed since the last check. Each error's stack shows where. */
  readonly printed: Error[]
  /** The test file that ran last in this process. */
  file?: string
}

// Vitest runs this module for each test file, and most test files share processes.
const output: Output = ((globalThis as { jetwayTestOutput?: Output }).jetwayTestOutput ??= collectOutput())

// oidc-provider prints these messages about Node 20 and its in-memory stores wherever a process first uses it.
const IGNORED = /oidc-provider (?:WARNING|NOTICE):/

/** Collects what this process prints. Both `console` and Node's warnings print through `write`. */
function collectOutput(): Output {
  const printed: Error[] = []
  const write = (text: string | Uint8Array, ...rest: readonly unknown[]): boolean => {
    const error = new Error(Buffer.from(text).toString())
    Error.captureStackTrace(error, write)
    if (!IGNORED.test(error.message)) printed.push(error)
    const callback = rest.find((value) => typeof value === 'function')
    if (callback !== undefined) process.nextTick(callback)
    return true
  }
  for (const stream of [process.stdout, process.stderr]) stream.write = write
  return { printed }
}

/** Fails the test or file if anything was printed. */
function expectNoOutput(who: string): void {
  const [first, ...rest] = output.printed.splice(0)
  if (first === undefined) return
  const texts = [first, ...rest].map(({ message }) => message.trimEnd())
  first.message = `${who} printed what it does not expect. Give the server a \`logger\`, or expect the output: vi.spyOn(console, 'error').mockReturnValue()\n${texts.join('\n').slice(0, 4_000)}`
  throw first
}

expectNoOutput(`${output.file}, which ran before this file,`)
beforeEach(({ task, onTestFinished }) => {
  output.file = task.file.name
  // The callback that a test registers first runs last.
  onTestFinished(() => expectNoOutput('The test, or a hook before it,'))
})
afterAll(() => expectNoOutput('A hook after the last test'))
