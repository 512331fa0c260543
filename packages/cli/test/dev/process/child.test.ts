import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { runs } from '@jetway-apps/test-support/processes'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { Child } from '../../../src/dev/process/child.ts'
import { until } from '../../support/until.ts'

const TOLD = fileURLToPath(new URL('../../fixtures/told.mjs', import.meta.url))

/** Starts a process that runs the given code. */
async function spawn(code: string, transport: 'http' | 'stdio' = 'http') {
  const [, program = ''] = process.argv
  process.argv[1] = TOLD
  const output = new PassThrough()
  const imported: string[] = []
  try {
    const child = await Child.spawn({
      job: { file: '/server.ts', args: [code], transport },
      generation: 7,
      onImport: (url) => imported.push(url),
      output,
    })
    onTestFinished(async () => {
      child.kill()
      await child.exited
    })
    return { child, output, imported }
  } finally {
    process.argv[1] = program
  }
}

const say = (...messages: readonly object[]): string =>
  messages.map((message) => `process.send(${JSON.stringify(message)});`).join('')

describe('Child', () => {
  it('imports its file, and reports its imports and its port', async () => {
    const { child, output, imported } = await spawn(`
      setInterval(() => {}, 1_000)
      process.once('message', ({ type }) => {
        console.log(type, process.env.PORT)
        ${say({ type: 'imported', urls: ['file:///a', 'file:///b'] }, { type: 'ready', port: 81 })}
      })`)
    expect(child).toMatchObject({ generation: 7, ended: false, lines: undefined })
    const { port } = child
    expect(port).toBeGreaterThan(0)
    child.start()
    await child.ready
    expect(imported).toEqual(['file:///a', 'file:///b'])
    expect(child.port).toBe(81)
    const [printed] = (await once(output, 'data')) as [Buffer]
    expect(printed.toString()).toBe(`start ${port}\n`)
    const stopping = child.stop()
    expect(child.stop()).toBe(stopping)
    await stopping
    expect(child.ended).toBe(true)
    expect(await child.exited).toBe('was ended by SIGTERM')
    expect(output.writableEnded).toBe(false)
    await child.stop()
    child.start()
  })

  it('exchanges lines over stdio', async () => {
    vi.stubEnv('PORT', undefined)
    onTestFinished(() => void vi.unstubAllEnvs())
    const { child } = await spawn(
      `process.stdin.pipe(process.stdout); ${say({ type: 'ready' })}; console.log('PORT' in process.env)`,
      'stdio',
    )
    await child.ready
    const lines: string[] = []
    child.lines?.start({ message: (line) => void lines.push(line), malformed: () => {}, close: () => {} })
    await child.lines?.send('hello')
    await vi.waitFor(() => expect(lines).toEqual(['false', 'hello']))
    expect(child.port).toBe(0)
  })

  it.each([
    [
      'cannot listen',
      say({ type: 'port-in-use', port: 80 }),
      { reason: 'port-in-use', message: 'Port 80 is in use', needsChange: false },
    ],
    [
      'exits',
      'process.exit(3)',
      { reason: 'exited', message: 'The server exited with code 3', needsChange: false },
    ],
    [
      'is done',
      'process.exit(0)',
      {
        reason: 'exited',
        message: 'The server exited with code 0. If it serves stdio, use --stdio',
        needsChange: true,
      },
    ],
    [
      'prints a reason before it exits',
      `${say({ type: 'failed', message: 'why', needsChange: true })}process.disconnect();process.exit(1)`,
      { reason: 'failed', message: 'why', needsChange: true },
    ],
  ])('rejects `ready` if the process %s', async (_, code, error) => {
    const { child } = await spawn(code)
    await expect(child.ready).rejects.toMatchObject({ name: 'StartError', ...error })
  })

  it('does not suggest a missing port if a stdio process exits', async () => {
    const { child } = await spawn('process.exit(0)', 'stdio')
    await expect(child.ready).rejects.toMatchObject({ message: 'The server exited with code 0' })
  })

  it('kills a process that ignores SIGTERM, and its process group, after 2 s', async () => {
    const { child, imported } = await spawn(`
      import { spawn } from 'node:child_process'
      setInterval(() => {}, 1_000)
      process.on('SIGTERM', () => process.send({ type: 'imported', urls: ['SIGTERM'] }))
      const { pid } = spawn('sh', ['-c', 'trap "" TERM; exec sleep 1000'])
      process.send({ type: 'imported', urls: [String(pid)] })
      process.send({ type: 'ready' })`)
    await child.ready
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const stopping = child.stop()
    await until(() => imported.length >= 2)
    await vi.advanceTimersByTimeAsync(1_999)
    expect(child.ended).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    await stopping
    expect(await child.exited).toBe('was ended by SIGKILL')
    await until(() => !runs(Number(imported[0])))
  })
})
