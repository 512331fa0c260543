import { ClientMethod, Method } from '@jetway/core/protocol'
import { describe, expect, it, vi } from 'vitest'
import type { ApprovalRequest } from '../../src/manager/index.ts'
import type { StdioServer } from '../../src/config/server-config.ts'
import type { ClientHandlers } from '../../src/options/handlers.ts'
import { childProcess } from '../../src/stdio/child-process.ts'
import type { Spawn } from '../../src/stdio/options.ts'
import {
  type ScriptedDial,
  connected,
  connectedPair,
  scriptedTarget,
  settled,
  withTools,
  world,
} from './support/world.ts'

const FORM = { message: 'Your name?', requestedSchema: { type: 'object', properties: {} } }
const SAMPLE = { messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }], maxTokens: 5 }

/** Sends a request to the client, and resolves to its response. */
async function ask({ server }: ScriptedDial, method: string, params: object, id: string): Promise<object> {
  server.say({ jsonrpc: '2.0', id, method, params })
  return server.hears((message) => message['id'] === id && message['method'] === undefined)
}

const without = (approvals: readonly ApprovalRequest[]): object[] =>
  approvals.map(({ kind, server, detail }) => ({ kind, server, detail }))

describe('the `approve` option', () => {
  const config: StdioServer = {
    command: 'server',
    args: ['--port', '0'],
    cwd: '/srv',
    env: { TOKEN: 'secret' },
  }

  it.each([
    ['a configuration', (spawn: Spawn) => ({ ...config, spawn })],
    ['a childProcess target', (spawn: Spawn) => childProcess({ ...config, spawn })],
  ])(
    'is called before a process is started from %s, with its command and arguments but no secrets',
    async (_, of) => {
      const asked: ApprovalRequest[] = []
      const { manager } = world({
        approve: (approval) => {
          asked.push(approval)
          return Promise.resolve(false)
        },
      })
      const spawn = vi.fn<Spawn>(() => {
        throw new Error('It was started')
      })
      await expect(manager.connect('a', of(spawn))).rejects.toMatchObject({
        code: 'not-approved',
        message: 'Starting the process of the server a was not approved',
      })
      expect(spawn).not.toHaveBeenCalled()
      expect(without(asked)).toEqual([
        {
          kind: 'spawn',
          server: 'a',
          detail: { command: 'server', args: ['--port', '0'], cwd: '/srv', env: ['TOKEN'] },
        },
      ])
    },
  )

  it('is not called if the manager or the configuration has a custom spawn function', async () => {
    const started: unknown[] = []
    const spawning =
      (who: string): Spawn =>
      (command) => {
        started.push([who, command])
        throw new Error('in the sandbox')
      }
    const { manager } = world({ spawn: spawning('manager') })
    await expect(manager.connect('a', config)).rejects.toThrow(/server/)
    await expect(manager.connect('b', { ...config, spawn: spawning('its own') })).rejects.toThrow(/server/)
    expect(started).toEqual([
      ['manager', 'server'],
      ['its own', 'server'],
    ])
  })

  it('does not block other servers while it is pending, and is aborted with the connection attempt', async () => {
    const signals: AbortSignal[] = []
    const { manager } = world({
      maxConnecting: { stdio: 1 },
      approve: ({ signal, server }) => {
        signals.push(signal)
        return server === 'quick' ? false : new Promise<boolean>(() => {})
      },
    })
    const spawn: Spawn = () => {
      throw new Error('It was started')
    }
    const slow = manager.connect('slow', { ...config, spawn })
    const ended = expect(slow).rejects.toMatchObject({ code: 'unavailable' })
    await expect(manager.connect('quick', { ...config, spawn })).rejects.toThrow('not approved')
    expect(signals[0]?.aborted).toBe(false)
    await manager.close('slow')
    await ended
    expect(signals[0]?.aborted).toBe(true)
  })

  it('is called before a tool call, and prevents the call unless it returns true', async () => {
    const asked: ApprovalRequest[] = []
    let answer: unknown = true
    const { manager, named, a } = await connected(withTools('x'), {
      approve: (approval) => {
        asked.push(approval)
        if (answer instanceof Error) throw answer
        return answer as boolean
      },
    })
    expect(await manager.callTool('mcp__a__x', { n: 1 })).toMatchObject({ content: [{ text: 'x' }] })
    expect(without(asked)).toEqual([{ kind: 'call', server: 'a', detail: { tool: 'x', args: { n: 1 } } }])
    for (answer of [false, undefined, 'yes', 1, new Error('dialog closed')]) {
      const refused: unknown = await manager.callTool('mcp__a__x').catch((error: unknown) => error)
      expect(refused).toMatchObject({
        code: 'not-approved',
        message: 'Calling the tool x of the server a was not approved',
        ...(answer instanceof Error && { cause: answer }),
      })
      expect(Object.hasOwn(refused as Error, 'cause')).toBe(answer instanceof Error)
    }
    expect(a.server.of(Method.CallTool)).toHaveLength(1)
    expect(named('error')).toEqual([{ server: 'a', error: answer }])
  })

  it("stops waiting when the call's signal is aborted", async () => {
    const { manager, a } = await connected(withTools('x'), { approve: () => new Promise<boolean>(() => {}) })
    const stop = new AbortController()
    const call = manager.callTool('mcp__a__x', {}, { signal: stop.signal })
    await settled()
    stop.abort(new Error('stop'))
    await expect(call).rejects.toThrow('stop')
    expect(a.server.of(Method.CallTool)).toEqual([])
  })

  it('is called before a handler receives a form, a URL or a sampling request', async () => {
    const asked: ApprovalRequest[] = []
    let approved = true
    const elicit = vi.fn(() => ({ action: 'accept', content: {} }) as const)
    const elicitUrl = vi.fn(() => ({ action: 'accept' }) as const)
    const sample = vi.fn(
      () => ({ role: 'assistant', content: { type: 'text', text: 'Hello' }, model: 'm' }) as const,
    )
    const { a } = await connected(
      {},
      {
        handlers: { elicit, elicitUrl, sample },
        approve: (approval) => {
          asked.push(approval)
          return approved
        },
      },
    )
    const url = { mode: 'url', message: 'Open', url: 'https://example.com', elicitationId: 'e' }
    expect(await ask(a, ClientMethod.Elicit, FORM, '1')).toMatchObject({ result: { action: 'accept' } })
    expect(await ask(a, ClientMethod.Elicit, url, '2')).toMatchObject({ result: { action: 'accept' } })
    expect(await ask(a, ClientMethod.Sample, SAMPLE, '3')).toMatchObject({ result: { model: 'm' } })
    expect(without(asked)).toEqual([
      { kind: 'elicit', server: 'a', detail: FORM },
      { kind: 'elicit', server: 'a', detail: url },
      { kind: 'sample', server: 'a', detail: SAMPLE },
    ])
    approved = false
    expect(await ask(a, ClientMethod.Elicit, FORM, '4')).toMatchObject({ result: { action: 'decline' } })
    expect(await ask(a, ClientMethod.Elicit, url, '5')).toMatchObject({ result: { action: 'decline' } })
    expect(await ask(a, ClientMethod.Sample, SAMPLE, '6')).toMatchObject({
      error: { code: -1, message: 'User rejected sampling request' },
    })
    for (const handler of [elicit, elicitUrl, sample]) expect(handler).toHaveBeenCalledTimes(1)
  })

  it("stops the reconnect if it does not approve the server's process", async () => {
    let approved = true
    const { manager, clock, named } = world({ approve: ({ kind }) => kind !== 'spawn' || approved })
    const a = scriptedTarget()
    await manager.connect('a', Object.assign(a.target, { process: { command: 'server' } }))
    approved = false
    await a.lose()
    await clock.advance(1_000)
    expect(named('reconnectFailed')).toHaveLength(1)
    expect(named('serverRemoved')).toEqual([
      { server: 'a', reason: 'Starting the process of the server a was not approved' },
    ])
    expect(a.servers).toHaveLength(1)
  })
})

describe('setHandlers', () => {
  it('replaces handlers for custom requests', async () => {
    const { manager, a } = await connected(
      {},
      { handlers: { requests: { 'x/where': () => ({ at: 'home' }) } } },
    )
    expect(await ask(a, 'x/where', {}, '1')).toMatchObject({ result: { at: 'home' } })
    manager.setHandlers({ requests: { 'x/where': (_, { name }) => ({ at: name }) } })
    expect(await ask(a, 'x/where', {}, '2')).toMatchObject({ result: { at: 'a' } })
    manager.setHandlers({})
    expect(await ask(a, 'x/where', {}, '3')).toMatchObject({ error: { code: -32601 } })
  })

  it("passes the server's name to the handlers", async () => {
    const asked: unknown[] = []
    const handlers: ClientHandlers = {
      elicit: ({ message }, { name, signal }) => {
        asked.push([name, message, signal instanceof AbortSignal])
        return { action: 'decline' }
      },
      roots: ({ name }) => [{ uri: `file:///${name}` }],
    }
    const { a, b } = await connectedPair({}, {}, { handlers })
    await ask(b, ClientMethod.Elicit, FORM, '1')
    await ask(a, ClientMethod.Elicit, FORM, '1')
    expect(asked).toEqual([
      ['b', 'Your name?', true],
      ['a', 'Your name?', true],
    ])
    expect(await ask(b, ClientMethod.ListRoots, {}, '2')).toMatchObject({
      result: { roots: [{ uri: 'file:///b' }] },
    })
  })

  it('replaces the handlers of connected servers, and declares new capabilities on the next connection', async () => {
    const { manager, a } = await connected({}, { handlers: { elicit: () => ({ action: 'decline' }) } })
    expect(await ask(a, ClientMethod.Elicit, FORM, '1')).toMatchObject({ result: { action: 'decline' } })
    const sample = () => ({ role: 'assistant', content: { type: 'text', text: '' }, model: 'm' }) as const
    manager.setHandlers({ elicit: () => ({ action: 'accept', content: {} }), sample })
    expect(await ask(a, ClientMethod.Elicit, FORM, '2')).toMatchObject({ result: { action: 'accept' } })
    expect(await ask(a, ClientMethod.Sample, SAMPLE, '3')).toMatchObject({ error: { code: -32601 } })
    const declared = (): unknown => a.server.of(Method.Initialize)[0]?.['params']
    expect(declared()).toMatchObject({ capabilities: { elicitation: {} } })
    expect(declared()).not.toHaveProperty('capabilities.sampling')
    await manager.reconnect('a')
    expect(declared()).toHaveProperty('capabilities.sampling')
    expect(await ask(a, ClientMethod.Sample, SAMPLE, '4')).toMatchObject({ result: { model: 'm' } })
    manager.setHandlers({})
    expect(await ask(a, ClientMethod.Elicit, FORM, '5')).toMatchObject({ result: { action: 'cancel' } })
    expect(await ask(a, ClientMethod.Sample, SAMPLE, '6')).toMatchObject({ error: { code: -1 } })
  })
})
