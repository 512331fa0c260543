import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { childProcess } from '../../src/stdio/child-process.ts'
import { childEnvironment } from '../../src/stdio/environment.ts'
import { ProcessExitError, SpawnError } from '../../src/stdio/errors.ts'
import { stopSteps } from '../../src/stdio/options.ts'
import { readLines } from '../../src/stdio/read-lines.ts'

/** Returns the lines of a stream that consists of these chunks. */
async function linesOf(...pieces: readonly (string | Buffer)[]): Promise<string[]> {
  const stream = new PassThrough()
  const lines: string[] = []
  readLines(stream, (line) => void lines.push(line))
  for (const piece of pieces) stream.write(piece)
  stream.end()
  await new Promise((resolve) => stream.once('close', resolve))
  return lines
}

describe('stderr lines', () => {
  const letters = Buffer.from('für')

  test.for<[string, (string | Buffer)[], string[]]>([
    ['in one chunk', ['a\nb\n'], ['a', 'b']],
    ['in several chunks', ['a', 'b\nc', 'd\n'], ['ab', 'cd']],
    ['with Windows line endings', ['a\r\nb\r', '\n'], ['a', 'b']],
    ['without a final line break', ['a\nb'], ['a', 'b']],
    ['as empty lines', ['\n\n', ''], ['', '']],
    ['with a character split across chunks', [letters.subarray(0, 2), letters.subarray(2)], ['für']],
  ])('are read if they arrive %s', async ([, pieces, lines]) => {
    expect(await linesOf(...pieces)).toEqual(lines)
  })

  test('are truncated to 8,192 characters, however the output is split into chunks', async () => {
    const long = 'x'.repeat(8_192)
    expect(await linesOf(`${long}\n${long}y\n`)).toEqual([long, long])
    expect(await linesOf(`a\n${long}`, 'y', 'z\nb\n')).toEqual(['a', long, 'b'])
    expect(await linesOf(`${long}y`)).toEqual([long])
  })
})

describe('the error for a failed process', () => {
  test('quotes the last ten lines, each up to 300 characters long', () => {
    const lines = ['first', ...Array.from({ length: 9 }, (_, at) => `line ${at}`), 'x'.repeat(301)]
    const error = new ProcessExitError(3, null, lines)
    expect(error.message).toBe(
      `The server's process ended with code 3. The last lines of its stderr:\n${lines.slice(1, -1).join('\n')}\n${'x'.repeat(300)}`,
    )
    expect(error).toMatchObject({ exitCode: 3, signal: null, stderr: lines })
  })

  test('contains only the reason if there was no output', () => {
    expect(new ProcessExitError(null, 'SIGKILL', []).message).toBe("The server's process ended by SIGKILL")
  })

  test.for<[unknown, string]>([
    [{ code: 'ENOENT' }, 'no such program, or cwd does not exist'],
    [{ code: 'EACCES' }, 'permission denied'],
    [{ code: 'EMFILE' }, 'EMFILE'],
    [{ code: 5 }, 'the system refused'],
    [null, 'the system refused'],
  ])('explains why the process could not be started: %j', ([cause, why]) => {
    expect(new SpawnError('a b', cause)).toMatchObject({
      message: `Could not start "a b": ${why}`,
      command: 'a b',
      cause,
    })
  })
})

describe('childEnvironment', () => {
  const own = { PATH: '/bin', TOKEN: 'secret', HOME: '() { :; }', TZ: undefined }

  test.for<[Parameters<typeof childEnvironment>[0], object]>([
    [{}, { PATH: '/bin' }],
    [{ inheritEnv: 'all' }, { PATH: '/bin', TOKEN: 'secret' }],
    [{ inheritEnv: 'none' }, {}],
    [{ env: { PATH: '/own' } }, { PATH: '/own' }],
  ])('given %j, returns %j', ([options, expected]) => {
    expect(childEnvironment(options, own)).toEqual(expected)
  })
})

test('stopSteps() returns the default steps, the steps for an interrupt, or custom steps', () => {
  const own = { inputMs: 1, signal: 'SIGINT', signalMs: 2 } as const
  expect([stopSteps(), stopSteps('graceful'), stopSteps('interrupt'), stopSteps(own)]).toEqual([
    { inputMs: 2_000, signal: 'SIGTERM', signalMs: 2_000 },
    { inputMs: 2_000, signal: 'SIGTERM', signalMs: 2_000 },
    { inputMs: 0, signal: 'SIGINT', signalMs: 3_000 },
    own,
  ])
})

test('childProcess() identifies a transport by its command, arguments and working directory', async () => {
  const options = { command: 'a', args: ['b'], cwd: '/c', env: { SECRET: 'x' } }
  const target = childProcess(options)
  expect(target.process).toBe(options)
  expect(await target()).toMatchObject({ key: '["a",["b"],"/c"]', network: { transport: 'pipe' } })
  expect((await childProcess({ command: 'a' })()).key).toBe('["a",[],null]')
})
