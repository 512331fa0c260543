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

describe('a server that runs as a child process', () => {
  test('messages go both ways, whatever their strings hold', async () => {
    const { transport, message } = await start(['echo'])
    const sent = { text: 'two\nlines, \u2028 and 🛫' }
    await transport.send(JSON.stringify(sent))
    expect(await message()).toEqual(sent)
  })

  test('what it wrote before it ended is delivered before the end is told', async () => {
    const { transport, closed, order } = await start(['echo'])
    await transport.send('!three')
    expect(await closed).toEqual({ kind: 'end' })
    expect(order).toEqual(['1', '2', '3', 'closed'])
  })

  test('an exit code is told, with the last lines of stderr where they were asked for', async () => {
    const heard: string[] = []
    const { transport, closed } = await start(['echo'], { stderr: (line) => heard.push(line) })
    await transport.send('!stderr {"jsonrpc":"2.0","method":"no/message"}')
    await vi.waitFor(() => expect(heard).toHaveLength(1))
    await transport.send('!exit 3')
    const reason = await closed
    expect(reason).toMatchObject({ kind: 'error', error: { exitCode: 3, signal: null, stderr: heard } })
    expect((reason as { error: unknown }).error).toBeInstanceOf(ProcessExitError)
  })

  test('what is written to stderr is no message, and a listener that throws ends nothing', async () => {
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

  test('one that is killed is told of, and sending to it afterwards fails nothing', async () => {
    const { transport, closed } = await start(['echo'])
    process.kill(transport.pid as number, 'SIGKILL')
    expect(await closed).toMatchObject({ kind: 'error', error: { exitCode: null, signal: 'SIGKILL' } })
    await transport.send('"late"')
  })

  test('one that closes its output is over, and its process is ended', async () => {
    const { transport, message, closed } = await start(['stubborn'], {
      stop: { inputMs: 0, signal: 'SIGTERM', signalMs: 50 },
    })
    const { pid } = (await message()) as { pid: number }
    await transport.send('!close')
    expect(await closed).toEqual({ kind: 'end' })
    await transport.close()
    expect(runs(pid)).toBe(false)
  })

  test('a line over the limit is dropped and reported; the next one arrives', async () => {
    const { transport, message, malformed } = await start(['echo'], { maxLineBytes: 1000 })
    await transport.send('!long')
    await transport.send('"next"')
    expect(await message()).toBe('next')
    expect(malformed).toEqual(['The line is longer than 1000 bytes'])
  })

  test('a program that does not exist is named', async () => {
    const transport = new ChildProcessTransport({ command: 'no-such-program-anywhere' })
    const starting = transport.start(handlers)
    await expect(starting).rejects.toThrow(
      'Could not start "no-such-program-anywhere": no such program, or the folder it should run in does not exist',
    )
    await expect(starting).rejects.toBeInstanceOf(SpawnError)
    await transport.close()
  })

  test('so is one that may not be run, and one whose name cannot be one', async () => {
    const file = join(folder, 'not-executable')
    writeFileSync(file, '')
    chmodSync(file, 0o600)
    await expect(new ChildProcessTransport({ command: file }).start(handlers)).rejects.toThrow(
      /may not be run/,
    )
    await expect(new ChildProcessTransport({ command: 'a\0b' }).start(handlers)).rejects.toBeInstanceOf(
      SpawnError,
    )
  })

  test('nothing is read by a shell', async () => {
    const file = join(folder, 'made-by-a-shell')
    const { transport, closed } = await start([`echo; touch ${file}`, `$(touch ${file})`, `& touch ${file}`])
    await closed
    await transport.close()
    expect(() => chmodSync(file, 0o600)).toThrow(/ENOENT/)
  })

  test('it starts once', async () => {
    const { transport } = await start(['echo'])
    await expect(transport.start(handlers)).rejects.toThrow('The transport has been started already')
  })

  test('closed while it starts, it leaves nothing', async () => {
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

describe('the environment of a child', () => {
  const seen = async (options: Parameters<typeof start>[1]): Promise<Record<string, string>> => {
    const { transport, message } = await start(['echo'], options)
    await transport.send('!env')
    return (await message()) as Record<string, string>
  }

  test('has no variable of this process that was not meant for it', async () => {
    vi.stubEnv('CANARY_TOKEN', 'secret')
    vi.stubEnv('TERM', '() { :; }; touch x')
    const env = await seen({ env: { API_KEY: 'given' } })
    vi.unstubAllEnvs()
    expect(env).toMatchObject({ API_KEY: 'given', PATH: process.env['PATH'] })
    expect(env).not.toHaveProperty('CANARY_TOKEN')
    expect(env).not.toHaveProperty('TERM')
  })

  test('has all of them where that is asked for, and none but its own otherwise', async () => {
    vi.stubEnv('CANARY_TOKEN', 'secret')
    const all = await seen({ inheritEnv: 'all' })
    const none = await seen({ inheritEnv: 'none', env: { API_KEY: 'given' } })
    vi.unstubAllEnvs()
    expect(all).toHaveProperty('CANARY_TOKEN', 'secret')
    expect(none).toHaveProperty('API_KEY', 'given')
    expect(none).not.toHaveProperty('PATH')
  })
})
