import { describe, expect, it, vi } from 'vitest'
import type { Start } from '../../src/start/environment.ts'
import { answers, runTrial } from '../../src/start/trial.ts'
import { ownVersion } from '../../src/version.ts'
import { until } from '../support/until.ts'
import { useFakeTimers } from '../support/fake-timers.ts'

/** Starts a server whose responses come from `on`, a map from method name to handler. */
const SERVER = `
const reply = (id, answer) => console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
const result = (result) => () => ({ result })
const on = { initialize: result({ capabilities: { tools: {} } }), 'tools/list': result({ tools: [] }) }
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  const answer = on[method]?.(params, id)
  if (answer !== undefined) reply(id, answer)
})
`

const start = (code: string): Start => ({
  command: process.execPath,
  args: ['-e', code],
  env: { PATH: process.env['PATH'] ?? '', OWN: 'own' },
  cwd: '/',
})

const run = (code: string) => runTrial(start(SERVER + code))

/** Advances the fake timers by each limit as soon as a timer with that limit has been set. */
async function pass(trial: Promise<unknown>, ...limits: readonly number[]): Promise<void> {
  const { setTimeout } = globalThis
  const set: unknown[] = []
  // A spy is not used, because Vitest also restores spies at the end of the file, when the timers are real again.
  globalThis.setTimeout = ((callback: () => void, ms: number) => {
    set.push(ms)
    return setTimeout(callback, ms)
  }) as typeof setTimeout
  const ended = vi.fn()
  void trial.then(() => ended())
  try {
    for (const ms of limits) {
      await until(() => set.includes(ms) || ended.mock.calls.length > 0)
      set.length = 0
      await vi.advanceTimersByTimeAsync(ms)
    }
  } finally {
    if (vi.isFakeTimers()) globalThis.setTimeout = setTimeout
  }
}

describe('runTrial', () => {
  it('sends the requests that a host sends, and stops the server by closing its stdin', async () => {
    const trial = await run(`
      process.stdout.write('stray 1\\n')
      on.initialize = (params, id) => {
        console.error(JSON.stringify({ params, id, OWN: process.env.OWN, cwd: process.cwd() }))
        reply(99, { result: {} })
        return { result: { capabilities: { tools: {} } } }
      }
      on['notifications/initialized'] = () => void console.error('initialized')
      on['tools/list'] = ({ cursor }) => ({ result: cursor === undefined
        ? { tools: [1, 2], nextCursor: 'next' } : { tools: [cursor] } })`)
    expect(trial).toEqual({
      answer: { jsonrpc: '2.0', id: 1, result: { capabilities: { tools: {} } } },
      answeredAfterMs: expect.any(Number),
      tools: 3,
      strayLines: ['stray 1'],
      stderr: [expect.any(String), 'initialized'],
      shutdown: { afterMs: expect.any(Number), left: [] },
    })
    expect(trial.answeredAfterMs).toBeGreaterThan(0)
    expect(JSON.parse(trial.stderr[0] ?? '')).toEqual({
      params: {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'jetway-cli', version: ownVersion() },
      },
      id: 1,
      OWN: 'own',
      cwd: '/',
    })
  })

  it.each([
    ['answers with an error', "on.initialize = () => ({ error: { code: 1, message: 'no' } })", undefined],
    ['has no tools', 'on.initialize = result({ capabilities: {} })', undefined],
    ['has no capabilities', 'on.initialize = result({})', undefined],
    [
      'does not list its tools',
      "on['tools/list'] = () => ({ error: { code: 1, message: 'no' } })",
      undefined,
    ],
    ['lists something else', "on['tools/list'] = result({ tools: {} })", undefined],
    ['never ends its list', "on['tools/list'] = result({ tools: [1], nextCursor: 'x' })", 64],
  ])('counts the tools of a server that %s, up to a limit of 64 (%#)', async (_, code, tools) => {
    const trial = await run(code)
    expect(trial.tools).toBe(tools)
    expect(trial).toMatchObject({ answer: { id: 1 }, shutdown: { left: [] } })
    expect(trial.shutdown).not.toHaveProperty('signal')
  })

  it.each([
    ['with code 3', 'on.initialize = () => process.exit(3)', undefined],
    ['by SIGKILL', "on.initialize = () => process.kill(process.pid, 'SIGKILL')", undefined],
    ['with code 4', "on['tools/list'] = () => process.exit(4)", { jsonrpc: '2.0', id: 1 }],
  ])('reports no shutdown if the server has already exited %s', async (ended, code, answer) => {
    const trial = await run(code)
    expect(trial.ended).toBe(ended)
    expect(trial).not.toHaveProperty('shutdown')
    if (answer === undefined) expect(trial).toEqual({ ended, strayLines: [], stderr: [] })
    else expect(trial.answer).toMatchObject(answer)
  })

  it('keeps the first 40 lines of stdout and the last 40 lines of stderr, each truncated to 2,000 characters', async () => {
    const trial = await run(`
      const lines = (begin) => Array.from({ length: 41 }, (_, index) => begin + index + 'x'.repeat(2_000)).join('\\n') + '\\n'
      process.stdout.write(lines('o'))
      process.stderr.write(lines('e'))`)
    expect(trial.strayLines).toHaveLength(40)
    expect(trial.stderr).toHaveLength(40)
    expect([trial.strayLines[0], trial.stderr.at(-1)]).toEqual(
      ['o0', 'e40'].map((begin) => begin.padEnd(2_000, 'x')),
    )
    expect(trial.stderr[0]).toMatch(/^e1x/)
  })

  it('reports a program that cannot be started', async () => {
    expect(await runTrial({ ...start(''), command: '/no/such/program' })).toEqual({
      notStarted: 'ENOENT',
      strayLines: [],
      stderr: [],
    })
  })

  it('waits up to 10 s for a response', async () => {
    useFakeTimers()
    const trial = run("on.initialize = () => void console.error('asked')")
    await pass(trial, 10_000)
    expect(await trial).toMatchObject({ strayLines: [] })
    expect(await trial).not.toHaveProperty('answer')
    expect(await trial).not.toHaveProperty('ended')
  })

  it.each([
    ['SIGTERM', '', [5_000]],
    ['SIGKILL', "process.on('SIGTERM', () => {})", [5_000, 2_000]],
  ])('sends %s to a server that keeps running after its stdin is closed', async (signal, code, limits) => {
    useFakeTimers()
    const trial = run(`setInterval(() => {}, 1_000);${code}`)
    await pass(trial, ...limits)
    expect((await trial).shutdown).toEqual({ afterMs: expect.any(Number), signal, left: [] })
  })

  it('reports and kills a process that the server leaves behind', async () => {
    useFakeTimers()
    const trial = run(`
      const { spawn } = require('node:child_process')
      console.error(spawn('sleep', ['1000'], { stdio: 'ignore' }).pid)
      process.stdin.on('end', () => process.exit(0))`)
    const ended = vi.fn()
    void trial.then(() => ended())
    while (ended.mock.calls.length === 0) {
      vi.setSystemTime(Date.now() + 1_000)
      await new Promise((resolve) => setImmediate(resolve))
    }
    const { shutdown, stderr } = await trial
    expect(shutdown?.left).toEqual([`sleep (pid ${stderr[0]})`])
    expect(shutdown).not.toHaveProperty('signal')
  })
})

describe('runTrial with the harness', () => {
  const report = { serves: 'http', port: 81 }

  it('returns the report that the server file sends', async () => {
    const trial = await runTrial(
      start(`process.send(${JSON.stringify(report)});setInterval(() => {}, 1_000)`),
      {
        harness: true,
      },
    )
    expect(trial).toEqual({ report, strayLines: [], stderr: [] })
  })

  it('sends requests to a server file that uses stdio', async () => {
    const trial = await runTrial(start(`process.send({ serves: 'stdio' });process.disconnect();${SERVER}`), {
      harness: true,
    })
    expect(trial).toMatchObject({ tools: 0 })
    expect(trial).not.toHaveProperty('report')
  })
})

describe('answers()', () => {
  it.each<[string, string, boolean, boolean]>([
    ['one that answers', SERVER, false, true],
    ['one that ends', '', false, false],
    ['one that serves HTTP', "process.send({ serves: 'http', port: 81 })", true, true],
    ['one that serves nothing', "process.send({ serves: 'nothing', message: '', hint: '' })", true, false],
  ])('returns whether a server responds: %s', async (_, code, harness, expected) => {
    expect(await answers(start(code), { harness })).toBe(expected)
  })

  it('returns false for a missing program', async () => {
    expect(await answers({ ...start(''), command: '/no/such/program' })).toBe(false)
  })
})
