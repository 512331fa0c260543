import { settled } from '@jetway-apps/test-support'
import { describe, expect, it, vi } from 'vitest'
import { type AnyPrompt, type AnyTool, defineTool, McpServer, type Source } from '../../src/index.ts'
import { openPeer } from '../support/peer.ts'

const tool = (name: string, text: string = name) => defineTool({ name, handler: () => text })

type OtherTool = ReturnType<typeof tool>
type Tools = Iterable<AnyTool<unknown, unknown>> | Promise<Iterable<AnyTool<unknown, unknown>>>

/** A registry like those of other libraries. `tell` calls its listeners. */
class OtherRegistry {
  list: OtherTool[]
  reads = 0
  readonly listeners = new Set<() => void>()

  constructor(...names: string[]) {
    this.list = names.map((name) => tool(name))
  }

  tools(): Tools {
    this.reads++
    return this.list
  }

  onChange(listener: () => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  tell(): void {
    for (const listener of this.listeners) listener()
  }

  set(...names: string[]): void {
    this.list = names.map((name) => tool(name))
    this.tell()
  }
}

interface Logged {
  readonly message: string
  readonly err: Error
}

function create(): { readonly server: McpServer; readonly log: Logged[] } {
  const log: Logged[] = []
  const note = (fields: object, message: string): void => void log.push({ message, ...fields } as Logged)
  const logger = { debug: note, info: note, warn: note, error: note }
  return { server: new McpServer({ name: 'test', version: '1' }, { logger }), log }
}

async function namesOf(server: McpServer): Promise<string[]> {
  const peer = await openPeer(server)
  const { result } = await peer.request('tools/list')
  return (result['tools'] as { name: string }[]).map(({ name }) => name)
}

describe('server.observe', () => {
  it("lists the entries of a synchronous source immediately, below the server's own entries", async () => {
    const { server } = create()
    server.addTool(tool('own'))
    server.observe(new OtherRegistry('a', 'b'))
    expect(await namesOf(server)).toEqual(['own', 'a', 'b'])
    const peer = await openPeer(server)
    expect((await peer.request('tools/call', { name: 'a' })).result).toMatchObject({
      content: [{ text: 'a' }],
    })
  })

  it('lists the entries of an asynchronous source when they are ready', async () => {
    const { server } = create()
    const other = new OtherRegistry('a')
    const source: Source = {
      tools: async () => [tool('later')],
      onChange: (listener) => other.onChange(listener),
    }
    const { initialized } = await openPeer(server)
    expect(initialized.result['capabilities']).not.toHaveProperty('tools')
    await server.observe(source).ready
    expect(await namesOf(server)).toEqual(['later'])
  })

  it('declares the capabilities before the source provides its first entry', async () => {
    const { server } = create()
    server.observe({ tools: () => new Promise(() => {}), prompts: () => [], onChange: () => () => {} })
    const { initialized } = await openPeer(server)
    expect(initialized.result['capabilities']).toMatchObject({
      tools: { listChanged: true },
      prompts: { listChanged: true },
    })
  })

  it('declares capabilities only for the kinds of entries that the source provides', async () => {
    const { server } = create()
    server.observe({ tools: () => [], onChange: () => () => {} })
    const { initialized } = await openPeer(server)
    expect(initialized.result['capabilities']).toHaveProperty('tools')
    for (const kind of ['prompts', 'resources'])
      expect(initialized.result['capabilities']).not.toHaveProperty(kind)
  })

  it('follows the source when entries are added, replaced, removed or reordered', async () => {
    const { server } = create()
    const other = new OtherRegistry('a', 'b')
    server.observe(other)
    server.addTool(tool('own'))
    other.set('c', 'b')
    await settled()
    expect(await namesOf(server)).toEqual(['c', 'b', 'own'])
    other.list = [tool('b', 'new')]
    other.tell()
    await settled()
    const peer = await openPeer(server)
    expect((await peer.request('tools/call', { name: 'b' })).result).toMatchObject({
      content: [{ text: 'new' }],
    })
  })

  it('reads the source only once after several changes, and sends a single notification', async () => {
    const { server } = create()
    const other = new OtherRegistry('a')
    server.observe(other)
    const peer = await openPeer(server)
    await settled()
    const before = other.reads
    for (let i = 0; i < 100; i++) other.set('a', `b${i}`, 'c')
    await settled()
    expect(other.reads).toBe(before + 1)
    expect(peer.notifications.map(({ method }) => method)).toEqual(['notifications/tools/list_changed'])
  })

  it('does not send a notification if nothing changed', async () => {
    const { server } = create()
    const other = new OtherRegistry('a')
    server.observe(other)
    const peer = await openPeer(server)
    await settled()
    other.tell()
    await settled()
    expect(peer.notifications).toEqual([])
  })

  it('supports resources, templates and prompts', async () => {
    const { server } = create()
    server.observe({
      resources: () => [{ uri: 'a://b', name: 'b', handler: () => 'b' }],
      resourceTemplates: () => [{ uriTemplate: 'c://{d}', name: 'd', handler: () => 'd' }],
      prompts: () => [{ name: 'p', handler: () => 'p' }],
      onChange: () => () => {},
    })
    const peer = await openPeer(server)
    expect((await peer.request('resources/read', { uri: 'a://b' })).result).toMatchObject({
      contents: [{ text: 'b' }],
    })
    expect((await peer.request('resources/read', { uri: 'c://x' })).result).toMatchObject({
      contents: [{ text: 'd' }],
    })
    expect((await peer.request('prompts/list')).result).toMatchObject({ prompts: [{ name: 'p' }] })
    expect((await peer.request('tools/list')).error).toMatchObject({ code: -32601 })
  })

  it('throws for an invalid source', () => {
    for (const wrong of [undefined, {}, { tools: () => [] }])
      expect(() => create().server.observe(wrong as unknown as Source)).toThrow(
        /server.observe takes an object/,
      )
  })
})

describe('observation.state', () => {
  it('is ready as soon as a synchronous source has been read', () => {
    const { server } = create()
    expect(server.observe(new OtherRegistry('a'))).toMatchObject({ state: 'ready', error: undefined })
  })

  it('is failed after a failure, with its error, until the source can be read again', async () => {
    const { server } = create()
    const other = new OtherRegistry('a')
    const gone = new Error('gone')
    other.tools = () => Promise.reject(gone)
    const observation = server.observe(other)
    expect(observation.state).toBe('reading')
    await observation.ready
    expect(observation).toMatchObject({ state: 'failed', error: gone })
    other.tools = () => [tool('a')]
    other.tell()
    await settled()
    expect(observation).toMatchObject({ state: 'ready', error: undefined })
  })
})

describe('source.onEvent', () => {
  it('publishes the events of the source until it is detached', async () => {
    const { server } = create()
    const listeners = new Set<(event: { readonly kind: 'resource'; readonly uri: string }) => void>()
    server.addResource({ uri: 'a://b', name: 'b', handler: () => 'b' })
    const observation = server.observe({
      onChange: () => () => {},
      onEvent: (listener) => {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    })
    const peer = await openPeer(server)
    await peer.request('resources/subscribe', { uri: 'a://b' })
    for (const listener of listeners) listener({ kind: 'resource', uri: 'a://b' })
    await vi.waitFor(() =>
      expect(peer.notifications).toMatchObject([
        { method: 'notifications/resources/updated', params: { uri: 'a://b' } },
      ]),
    )
    observation.detach()
    expect(listeners.size).toBe(0)
  })
})

describe('source.contains', () => {
  it('makes server.observe throw if the source contains the server', () => {
    const { server } = create()
    const contains = (runtime: object): boolean => runtime === server.runtime
    expect(() => server.observe({ onChange: () => () => {}, contains })).toThrow(/ERR_MCP_CYCLE/)
  })
})

describe('a kind that a source offers later', () => {
  it('is offered from then on', async () => {
    const { server } = create()
    const other = new OtherRegistry('a')
    const source: Source = { onChange: (listener) => other.onChange(listener) }
    server.observe(source)
    expect((await openPeer(server)).initialized.result['capabilities']).not.toHaveProperty('tools')
    source.tools = () => [tool('a')]
    other.tell()
    await settled()
    expect((await openPeer(server)).initialized.result['capabilities']).toHaveProperty('tools')
    expect(await namesOf(server)).toEqual(['a'])
  })
})

describe('a duplicate name', () => {
  it("is logged, and does not replace the server's entry", async () => {
    const { server, log } = create()
    server.addTool(tool('a', 'own'))
    server.observe(new OtherRegistry('a', 'b'))
    expect(await namesOf(server)).toEqual(['a', 'b'])
    const peer = await openPeer(server)
    expect((await peer.request('tools/call', { name: 'a' })).result).toMatchObject({
      content: [{ text: 'own' }],
    })
    expect(log).toHaveLength(1)
    expect(log[0]?.err.message).toMatch(/The tool "a" exists already and is kept; this one is left out/)
  })

  it("refers to the first source's entry until that source is detached", async () => {
    const { server } = create()
    const [first, second] = [new OtherRegistry('a'), new OtherRegistry('a', 'b')]
    const handle = server.observe(first)
    server.observe(second)
    expect(await namesOf(server)).toEqual(['a', 'b'])
    handle.detach()
    second.tell()
    await settled()
    expect(await namesOf(server)).toEqual(['a', 'b'])
  })

  it('is rejected by server.addTool unless `replace` is set', async () => {
    const { server } = create()
    const other = new OtherRegistry('a')
    server.observe(other)
    expect(() => server.addTool(tool('a', 'own'))).toThrow(/ERR_MCP_DUPLICATE_NAME/)
    server.addTool(tool('a', 'own'), { replace: true })
    other.set('a', 'b')
    await settled()
    const peer = await openPeer(server)
    expect((await peer.request('tools/call', { name: 'a' })).result).toMatchObject({
      content: [{ text: 'own' }],
    })
  })

  it('refers to the first entry if one source has two entries with that name', async () => {
    const { server, log } = create()
    server.observe(new OtherRegistry('a', 'a', 'b'))
    expect(await namesOf(server)).toEqual(['a', 'b'])
    expect(log).toHaveLength(1)
  })
})

describe('a failing source', () => {
  const failures: [string, (other: OtherRegistry) => void][] = [
    [
      'throws',
      (other) =>
        (other.tools = () => {
          throw new Error('gone')
        }),
    ],
    ['rejects', (other) => (other.tools = () => Promise.reject(new Error('gone')))],
    [
      'fails halfway',
      (other) =>
        (other.tools = function* () {
          yield tool('x')
          throw new Error('gone')
        }),
    ],
  ]

  it.each(failures)(
    'is logged, keeps its last valid list, and is still watched if it %s',
    async (_name, fail) => {
      const { server, log } = create()
      const other = new OtherRegistry('a', 'b')
      server.observe(other)
      fail(other)
      other.tell()
      await settled()
      expect(await namesOf(server)).toEqual(['a', 'b'])
      expect(log).toMatchObject([
        { message: expect.stringContaining('could not be read'), err: { message: 'gone' } },
      ])
      other.tools = () => [tool('c')]
      other.tell()
      await settled()
      expect(await namesOf(server)).toEqual(['c'])
    },
  )

  it('is logged and does not change the server if the first read fails', async () => {
    const { server, log } = create()
    server.addTool(tool('own'))
    const { ready } = server.observe({
      tools: () => Promise.reject(new Error('gone')),
      onChange: () => () => {},
    })
    await ready
    expect(await namesOf(server)).toEqual(['own'])
    expect(log).toHaveLength(1)
  })

  it('leaves every kind of entry unchanged if one kind fails to load', async () => {
    const { server } = create()
    const other = new OtherRegistry('a')
    let prompts = (): AnyPrompt<unknown, unknown>[] => [{ name: 'p', handler: () => 'p' }]
    const source: Source = {
      tools: () => other.tools(),
      prompts: () => prompts(),
      onChange: (listener) => other.onChange(listener),
    }
    server.observe(source)
    prompts = () => {
      throw new Error('gone')
    }
    other.set('b')
    await settled()
    expect(await namesOf(server)).toEqual(['a'])
  })

  it('loses only the invalid definitions, which are logged', async () => {
    const { server, log } = create()
    const other = new OtherRegistry('a', 'not a name', 'b')
    server.observe(other)
    expect(await namesOf(server)).toEqual(['a', 'b'])
    expect(log[0]?.err.message).toMatch(/tool name "not a name"/)
  })
})

describe('a late result from a source', () => {
  it('is discarded if the source has changed in the meantime, and the source is read again', async () => {
    const { server } = create()
    const other = new OtherRegistry()
    const answers: ((tools: Iterable<OtherTool>) => void)[] = []
    other.tools = () => new Promise((resolve) => answers.push(resolve))
    const { ready } = server.observe(other)
    other.tell()
    other.tell()
    await settled()
    expect(answers).toHaveLength(1)
    answers[0]?.([tool('old')])
    await settled()
    expect(answers).toHaveLength(2)
    answers[1]?.([tool('new')])
    await ready
    expect(await namesOf(server)).toEqual(['new'])
  })

  it('is ignored after the source is detached', async () => {
    const { server } = create()
    let answer: ((tools: Iterable<OtherTool>) => void) | undefined
    const other = new OtherRegistry()
    other.tools = () => new Promise((resolve) => (answer = resolve))
    const observation = server.observe(other)
    observation.detach()
    answer?.([tool('late')])
    await observation.ready
    expect(await namesOf(server)).toEqual([])
  })
})

describe('detaching a source', () => {
  it("removes the source's entries and its change listener", async () => {
    const { server } = create()
    server.addTool(tool('own'))
    const other = new OtherRegistry('a', 'b')
    const observation = server.observe(other)
    const peer = await openPeer(server)
    await settled()
    observation.detach()
    observation.detach()
    expect(other.listeners.size).toBe(0)
    other.set('c')
    await settled()
    expect(await namesOf(server)).toEqual(['own'])
    expect(peer.notifications).toHaveLength(1)
  })

  it('happens when the handle is disposed', async () => {
    const { server } = create()
    const other = new OtherRegistry('a')
    {
      using _observation = server.observe(other)
      expect(await namesOf(server)).toEqual(['a'])
    }
    expect(await namesOf(server)).toEqual([])
  })

  it('happens when the server closes, even if another source throws', async () => {
    const { server, log } = create()
    const other = new OtherRegistry('a')
    server.observe({
      tools: () => [],
      onChange: () => () => {
        throw new Error('stuck')
      },
    })
    server.observe(other)
    await server.close()
    expect(other.listeners.size).toBe(0)
    expect(log).toMatchObject([{ err: { message: 'stuck' } }])
  })

  it("keeps entries that have replaced the source's entries", async () => {
    const { server } = create()
    const observation = server.observe(new OtherRegistry('a', 'b'))
    server.addTool(tool('a', 'own'), { replace: true })
    observation.detach()
    expect(await namesOf(server)).toEqual(['a'])
  })
})
