import { inspect } from 'node:util'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { ChildProcessTransport } from '../../src/stdio/child-process.ts'
import { ProcessExitError, SpawnError } from '../../src/stdio/errors.ts'
import { runs, start } from './support/processes.ts'

const folder = mkdtempSync(join(tmpdir(), 'jetway-child-'))
afterAll(() => rmSync(folder, { recursive: true }))

const handlers = { message: () => {}, malformed: () => {}, close: () => {} }

describe('ChildProcessTransport', () => {
  test('exchanges messages with arbitrary content', async () => {
    const { transport, message } = await start(['echo'])
    const sent = { text: 'two\nlines, \u2028 and 🛫' }
    await transport.send(JSON.stringify(sent))
    expect(await message()).toEqual(sent)
  })

  test('delivers the last output before it reports the exit', async () => {
    const { transport, closed, order } = await start(['echo'])
    await transport.send('!three')
    expect(await closed).toMatchObject({ kind: 'error', error: { exitCode: 0 } })
    expect(order).toEqual(['1', '2', '3', 'closed'])
  })

  test.for(['listener', 'ignore'])('reports the exit code and the last lines of stderr: %s', async (to) => {
    const heard: string[] = []
    const listen = (line: string) => heard.push(line)
    const { transport, closed } = await start(['echo'], { stderr: to === 'ignore' ? to : listen })
    const line = '{"jsonrpc":"2.0","method":"no/message"}'
    await transport.send(`!stderr ${line}`)
    await transport.send('!exit 3')
    const reason = await closed
    expect(reason).toMatchObject({ kind: 'error', error: { exitCode: 3, signal: null, stderr: [line] } })
    if (to === 'listener') expect(heard).toEqual([line])
    expect((reason as { error: unknown }).error).toBeInstanceOf(ProcessExitError)
  })

  test('does not treat stderr output as messages, even if the listener throws', async () => {
    const { transport, message, order } = await start(['echo'], {
      stderr: () => {
        throw new Error('listener')
      },
    })
    await transport.send('!stderr {"jsonrpc":"2.0","method":"no/message"}')
    await transport.send('"after"')
    expect(await message()).toBe('after')
    expect(order).toEqual(['"after"'])
  })

  test('reports that the process was killed, and accepts messages afterwards', async () => {
    const { transport, closed } = await start(['echo'])
    process.kill(transport.pid as number, 'SIGKILL')
    expect(await closed).toMatchObject({ kind: 'error', error: { exitCode: null, signal: 'SIGKILL' } })
    await transport.send('"late"')
  })

  test('stops a process that closes its output', async () => {
    const { transport, message, closed } = await start(['stubborn'], {
      stop: { inputMs: 0, signal: 'SIGTERM', signalMs: 50 },
    })
    const { pid } = (await message()) as { pid: number }
    await transport.send('!close')
    expect(await closed).toEqual({ kind: 'end' })
    await transport.close()
    expect(runs(pid)).toBe(false)
  })

  test('drops and reports a line that exceeds the limit', async () => {
    const { transport, message, malformed } = await start(['echo'], { maxLineBytes: 1000 })
    await transport.send('!long')
    await transport.send('"next"')
    expect(await message()).toBe('next')
    expect(malformed).toEqual(['The line is longer than 1000 bytes'])
  })

  test("rejects with the program's name if the program does not exist", async () => {
    const transport = new ChildProcessTransport({ command: 'no-such-program-anywhere' })
    const starting = transport.start(handlers)
    await expect(starting).rejects.toThrow(
      'Could not start "no-such-program-anywhere": no such program, or cwd does not exist',
    )
    await expect(starting).rejects.toBeInstanceOf(SpawnError)
    await transport.close()
  })

  test.for([
    { command: 'no-such-program-anywhere', args: ['--token=canary'] },
    { command: process.execPath, args: ['--token=canary\0'] },
    { command: process.execPath, env: { TOKEN: 'canary\0' } },
  ])('rejects without revealing arguments and variables, which may be secret: %j', async (options) => {
    const error: unknown = await new ChildProcessTransport(options).start(handlers).catch((each) => each)
    expect(error).toBeInstanceOf(SpawnError)
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain('canary')
  })

  test('rejects if the program is not executable or its name is invalid', async () => {
    const file = join(folder, 'not-executable')
    writeFileSync(file, '')
    chmodSync(file, 0o600)
    await expect(new ChildProcessTransport({ command: file }).start(handlers)).rejects.toThrow(
      /permission denied/,
    )
    await expect(new ChildProcessTransport({ command: 'a\0b' }).start(handlers)).rejects.toBeInstanceOf(
      SpawnError,
    )
  })

  test('does not use a shell', async () => {
    const file = join(folder, 'made-by-a-shell')
    const { transport, closed } = await start([`echo; touch ${file}`, `$(touch ${file})`, `& touch ${file}`])
    await closed
    await transport.close()
    expect(() => chmodSync(file, 0o600)).toThrow(/ENOENT/)
  })

  test('cannot be started twice', async () => {
    const { transport } = await start(['echo'])
    await expect(transport.start(handlers)).rejects.toThrow('The transport is already started')
  })

  test('leaves no process behind if it is closed while starting', async () => {
    const transport = new ChildProcessTransport({
      command: process.execPath,
      args: ['-e', 'setInterval(() => {}, 9e6)'],
    })
    const starting = transport.start(handlers)
    await transport.close()
    await starting
    expect(runs(transport.pid as number)).toBe(false)
  })
})

describe("the child's environment", () => {
  const seen = async (options: Parameters<typeof start>[1]): Promise<Record<string, string>> => {
    const { transport, message } = await start(['echo'], options)
    await transport.send('!env')
    return (await message()) as Record<string, string>
  }

  test('contains only the given variables and a list of safe variables', async () => {
    vi.stubEnv('CANARY_TOKEN', 'secret')
    vi.stubEnv('TERM', '() { :; }; touch x')
    const env = await seen({ env: { API_KEY: 'given' } })
    vi.unstubAllEnvs()
    expect(env).toMatchObject({ API_KEY: 'given', PATH: process.env['PATH'] })
    expect(env).not.toHaveProperty('CANARY_TOKEN')
    expect(env).not.toHaveProperty('TERM')
  })

  test('contains all variables, or only the given ones, depending on `inheritEnv`', async () => {
    vi.stubEnv('CANARY_TOKEN', 'secret')
    const all = await seen({ inheritEnv: 'all' })
    const none = await seen({ inheritEnv: 'none', env: { API_KEY: 'given' } })
    vi.unstubAllEnvs()
    expect(all).toHaveProperty('CANARY_TOKEN', 'secret')
    expect(none).toHaveProperty('API_KEY', 'given')
    expect(none).not.toHaveProperty('PATH')
  })
})
