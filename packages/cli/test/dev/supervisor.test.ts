import { settled } from '@jetway-apps/test-support'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { advance, crash, serving, supervise } from './support/supervise.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }))
afterEach(() => void vi.useRealTimers())

describe('Supervisor', () => {
  it('uses a process as soon as it is ready, and starts a spare process 50 ms later', async () => {
    const { start, child, events, spawned, supervisor } = supervise()
    await start()
    expect(child(1).calls).toEqual(['start'])
    expect(events).toEqual([])
    await child(1).serve()
    expect(events).toEqual(['prepare 1', 'use 1'])
    await advance(49)
    expect(spawned()).toBe(1)
    await advance(1)
    expect(spawned()).toBe(2)
    expect(child(2).calls).toEqual([])
    await supervisor.close()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('switches to the spare process after a change, and stops the old process once it has drained', async () => {
    const { change, child, events, drain, spawned } = await serving()
    await change('file:///a.ts')
    expect(child(2).calls).toEqual(['start'])
    expect(child(1).calls).toEqual(['start'])
    await child(2).serve()
    expect(events.slice(2)).toEqual(['prepare 2', 'use 2', 'drain 1'])
    expect(child(1).calls).toEqual(['start'])
    await drain(1)
    expect(child(1).calls).toEqual(['start', 'stop'])
    expect(events.at(-1)).toBe('lost 1')
    await advance(50)
    expect(spawned()).toBe(3)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('stops a process that does not drain within 2 s', async () => {
    const { change, child } = await serving()
    await change()
    await child(2).serve()
    await advance(1_999)
    expect(child(1).calls).toEqual(['start'])
    await advance(1)
    expect(child(1).calls).toEqual(['start', 'stop'])
  })

  it('stops waiting for a draining process as soon as it exits', async () => {
    const { change, child, printed } = await serving()
    await change()
    await child(2).serve()
    await child(1).exit('exited with code 0')
    expect(child(1).calls).toEqual(['start', 'stop'])
    expect(printed).toEqual([expect.stringMatching(/^Restarted in/)])
  })

  it('prints the duration of each restart, but not of the first start', async () => {
    const { change, child, printed } = await serving()
    expect(printed).toEqual([])
    await change()
    await child(2).serve()
    await child(2).exit('exited with code 1')
    await advance(200)
    await child(3).serve()
    expect(printed).toEqual([
      expect.stringMatching(/^Restarted in \d+\.\d s$/),
      expect.stringMatching(/^The server exited with code 1/),
      expect.stringMatching(/^Restarted in \d+\.\d s$/),
    ])
  })

  it('kills a starting process when another change occurs', async () => {
    const { change, child, events } = await serving()
    await change()
    const served = child(2).serve()
    await change()
    await served
    expect(child(2).calls.slice(0, 2)).toEqual(['start', 'kill'])
    expect(child(3).calls).toEqual(['start'])
    expect(events).not.toContain('use 2')
    await child(3).serve()
    expect(events).toContain('use 3')
  })

  it('does not use a process that exits during its preparation', async () => {
    let prepared = (): void => {}
    const { start, child, events, printed } = supervise({
      prepare: () => new Promise((resolve) => (prepared = resolve)),
    })
    await start()
    await child(1).serve()
    await child(1).exit('was ended by SIGSEGV')
    prepared()
    await settled()
    expect(events).toEqual(['prepare 1', 'lost 1'])
    expect(printed).toEqual(['The server was ended by SIGSEGV\nIt starts again in 0.2 s, or after a change'])
  })

  it('does not use a process if a file changes while it is being prepared', async () => {
    const prepared: (() => void)[] = []
    const { start, change, child, events } = supervise({
      prepare: () => new Promise((resolve) => void prepared.push(resolve)),
    })
    await start()
    await child(1).serve()
    await change()
    prepared[0]?.()
    await settled()
    expect(events).not.toContain('use 1')
    expect(child(2).calls).toEqual(['start'])
  })

  it('reports a process that has not started after 10 s', async () => {
    const { start, child, printed } = supervise()
    await start()
    await advance(9_999)
    expect(printed).toEqual([])
    await advance(1)
    expect(printed).toEqual(['The server has not started to serve yet'])
    await child(1).serve()
    const quick = supervise()
    await quick.start()
    await quick.child(1).serve()
    await advance(10_000)
    expect(quick.printed).toEqual([])
  })
})

describe('the spare process', () => {
  it.each([
    ['a file that it has imported', 'file:///ahead.ts', false],
    ['tsconfig.json', 'file:///p/tsconfig.json', false],
    ['package.json', 'file:///p/package.json', false],
    ['another file', 'file:///other.ts', true],
    ['a file with a longer name', 'file:///p/my-package.json', true],
  ])('is replaced only if a change affects files that it has loaded: %s', async (_, url, isUsed) => {
    const { change, child, imported } = await serving()
    child(2).imports('file:///ahead.ts')
    expect(imported).toEqual(['file:///ahead.ts'])
    await change('file:///first.ts', url)
    expect(child(2).calls).toEqual([isUsed ? 'start' : 'kill'])
    if (!isUsed) expect(child(3).calls).toEqual(['start'])
  })

  it('has its own set of imported files', async () => {
    const { change, child } = await serving()
    await change()
    await child(2).serve()
    await advance(50)
    child(2).imports('file:///a.ts')
    await change('file:///a.ts')
    expect(child(3).calls).toEqual(['start'])
  })

  it('is replaced if it has exited', async () => {
    const { change, child } = await serving()
    await child(2).exit('exited with code 1')
    await change()
    expect(child(2).calls).toEqual([])
    expect(child(3).calls).toEqual(['start'])
  })

  it('is not started if a file changes before its start', async () => {
    const { start, change, child, spawned } = supervise()
    await start()
    await child(1).serve()
    await advance(49)
    await change('file:///p/package.json')
    await advance(1_000)
    expect(spawned()).toBe(2)
    expect(child(2).calls).toEqual(['start'])
  })
})

describe('Supervisor with stopFirst', () => {
  it('starts the new process after the old process has exited', async () => {
    const { change, child, events, drain } = await serving({ stopFirst: true })
    await change()
    expect(events.at(-1)).toBe('drain 1')
    expect(child(2).calls).toEqual([])
    await drain(1)
    expect(child(1).calls).toEqual(['start', 'stop'])
    expect(child(2).calls).toEqual(['start'])
    await child(2).serve()
    expect(events.slice(-2)).toEqual(['prepare 2', 'use 2'])
  })

  it('starts only one process for all changes made while the old process is stopping', async () => {
    const { change, child, spawned, drain } = await serving({ stopFirst: true })
    await change()
    await change()
    expect(child(2).calls).toEqual([])
    await drain(1)
    expect(child(2).calls).toEqual(['start'])
    expect(spawned()).toBe(2)
  })
})

describe('Supervisor.close', () => {
  it('stops all processes without starting new ones', async () => {
    const { supervisor, change, child, spawned, printed } = await serving()
    await change()
    await supervisor.close()
    expect(child(1).calls).toEqual(['start', 'stop'])
    expect(child(2).calls.slice(0, 2)).toEqual(['start', 'stop'])
    await change('file:///a.ts')
    await advance(20_000)
    expect(spawned()).toBe(2)
    expect(printed).toEqual([])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('kills the spare process', async () => {
    const { supervisor, child } = await serving()
    await supervisor.close()
    await settled()
    expect(child(2).calls).toContain('kill')
  })

  it('cancels a delayed start', async () => {
    const { supervisor, start, child, spawned } = supervise()
    await start()
    await child(1).fail(crash)
    await supervisor.close()
    expect(vi.getTimerCount()).toBe(0)
    await advance(1_000)
    expect(spawned()).toBe(1)
  })

  it('kills a process that is being started', async () => {
    const { supervisor, child } = supervise()
    supervisor.start()
    await supervisor.close()
    await settled()
    expect(child(1).calls).toContain('kill')
    expect(child(1).calls).not.toContain('start')
  })
})
