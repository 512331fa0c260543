import { describe, expect, it } from 'vitest'
import { Child, type Exit } from './support/child.ts'

/** A drain period that is noticeable even on a busy machine, in ms. */
const LONG = 40_000
const AT_ONCE = LONG / 2

function start(drainMs?: number): Child {
  return new Child(drainMs === undefined ? {} : { drainMs })
}

async function timed(child: Child, act: () => void): Promise<Exit & { readonly ms: number }> {
  const before = performance.now()
  act()
  const exit = await child.exited
  return { ...exit, ms: exit.at - before }
}

const answer = (child: Child, id: number): unknown => child.messages.find((message) => message.id === id)

describe('serveStdio in a process', () => {
  it('responds to calls, and exits with code 0 when the input ends', async () => {
    const child = await start(LONG).open()
    child.call(1, 'echo', { text: 'hällo 😀' })
    await child.until(() => child.lines.length === 2)
    expect(answer(child, 1)).toMatchObject({ result: { content: [{ type: 'text', text: 'hällo 😀' }] } })
    const { code, ms } = await timed(child, () => child.process.stdin.end())
    expect(code).toBe(0)
    expect(ms).toBeLessThan(AT_ONCE)
    expect(child.stderr).toContain('lifespan disposed')
  })

  it('responds to messages that arrive together with the end of the input', async () => {
    const child = start(LONG)
    void child.open()
    child.call(1, 'short')
    for (let id = 2; id < 50; id++) child.call(id, 'echo', { text: String(id) })
    child.process.stdin.end()
    expect((await child.exited).code).toBe(0)
    expect(child.messages.map((message) => message.id).toSorted((a = -1, b = -1) => a - b)).toEqual(
      Array.from({ length: 50 }, (_, id) => id),
    )
    expect(answer(child, 1)).toMatchObject({ result: { content: [{ text: 'finished' }] } })
  })

  it('aborts calls that outlast the drain period, and exits with code 0', async () => {
    const child = await start().open()
    child.call(1, 'endless')
    await child.until(() => child.stderr.includes('running'))
    child.process.stdin.end()
    expect((await child.exited).code).toBe(0)
    expect(child.stderr).toContain('aborted')
  })

  it('redirects the output of tools to stderr, and warns once', async () => {
    const child = await start().open()
    child.call(1, 'chatty')
    child.call(2, 'chatty')
    await child.until(() => child.lines.length === 3)
    child.process.stdin.end()
    await child.exited
    expect(child.messages.map((message) => message.id)).toEqual([0, 1, 2])
    for (const text of ['console.log', 'console.info', 'console.debug', 'stdout.write']) {
      expect(child.stderr).toContain(text)
    }
    expect(child.stderr.match(/Something wrote to stdout/g)).toHaveLength(1)
  })

  it('waits for running calls on SIGTERM, and then exits with code 0', async () => {
    const child = await start(LONG).open()
    child.call(1, 'short')
    child.call(2, 'echo', { text: 'now' })
    await child.until(() => answer(child, 2) !== undefined)
    child.process.kill('SIGTERM')
    expect(await child.exited).toMatchObject({ code: 0, signal: null })
    expect(answer(child, 1)).toMatchObject({ result: { content: [{ text: 'finished' }] } })
  })

  it.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('exits immediately on a second %s', async (signal, expected) => {
    const child = await start(LONG).open()
    child.call(1, 'endless')
    await child.until(() => child.stderr.includes('running'))
    child.process.kill(signal)
    child.call(2, 'echo', { text: 'still here' })
    // The server refuses new calls once it has received the first signal.
    await child.until(() => answer(child, 2) !== undefined)
    const { code, ms } = await timed(child, () => child.process.kill(signal))
    expect(code).toBe(expected)
    expect(ms).toBeLessThan(AT_ONCE)
  })

  it('exits with code 0 if the reader of its output disconnects', async () => {
    const child = await start().open()
    child.process.stdout.destroy()
    for (let id = 1; id < 20; id++) child.call(id, 'echo', { text: 'x'.repeat(1000) })
    expect(await child.exited).toMatchObject({ code: 0, signal: null })
    expect(child.stderr).not.toMatch(/EPIPE|Error|Unhandled/)
  })

  it('exits if all of its streams are closed while it writes a response', async () => {
    const child = await start().open()
    child.call(1, 'flood')
    await child.until(() => child.stdout.length > 100_000)
    child.process.stdout.destroy()
    child.process.stderr.destroy()
    child.process.stdin.destroy()
    expect(await child.exited).toMatchObject({ code: 0, signal: null })
  })

  it('continues to respond after stderr has been closed, even if tools print', async () => {
    const child = await start().open()
    child.process.stderr.destroy()
    for (let id = 1; id < 20; id++) child.call(id, 'chatty')
    await child.until(() => child.lines.length === 20)
    child.process.stdin.end()
    expect(await child.exited).toMatchObject({ code: 0, signal: null })
  })

  it('exits when the input ends, even if the client has stopped reading', async () => {
    const child = await start().open()
    child.process.stdout.removeAllListeners('data').pause()
    for (let id = 1; id < 4; id++) child.call(id, 'flood')
    child.process.stdin.end()
    // The exit must be detected even though nothing reads the output.
    child.process.once('exit', () => child.process.stdout.destroy())
    expect((await child.exited).code).toBe(0)
  })
})
