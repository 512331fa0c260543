import { type AnyTool, defineTool, McpServer, type Source } from '@jetway/core'
import { expect, it, vi } from 'vitest'
import { z } from 'zod'
import { describeMatrix } from '../src/matrix.ts'
import type { TestConnection } from '../src/peer.ts'
import { HOST_TRANSPORTS } from './support/host-transports.ts'

const silent = { debug() {}, info() {}, warn() {}, error() {} }
const create = (options: object = {}): McpServer =>
  new McpServer({ name: 'test', version: '1' }, { logger: silent, ...options })

/** An external registry with change events. */
class OtherRegistry implements Source {
  readonly #listeners = new Set<() => void>()
  #tools: readonly AnyTool<unknown, unknown>[] = []

  get listeners(): number {
    return this.#listeners.size
  }

  tools(): readonly AnyTool<unknown, unknown>[] {
    return this.#tools
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  set(...names: readonly string[]): void {
    this.#tools = names.map((name) => defineTool({ name, handler: () => name }))
    for (const listener of this.#listeners) listener()
  }
}

const CHANGED = 'notifications/tools/list_changed'
const changes = ({ notifications }: TestConnection): number =>
  notifications.filter(({ method }) => method === CHANGED).length
async function namesOf(connection: TestConnection): Promise<string[]> {
  const { result } = await connection.request('tools/list')
  return ((result?.['tools'] ?? []) as readonly { readonly name: string }[]).map(({ name }) => name)
}

const cells = { transports: HOST_TRANSPORTS, revisions: ['2024-11-05', '2025-11-25'] }

describeMatrix('what an author writes', cells, ({ connect }) => {
  it('follows another registry: clients get one notification, call new tools, and no removed ones', async () => {
    const server = create()
    const other = new OtherRegistry()
    const observation = server.observe(other)
    const [one, two] = [await connect(server), await connect(server)]
    expect(await namesOf(one)).toEqual([])
    other.set('a')
    other.set('a', 'b')
    await Promise.all([one.notification(CHANGED), two.notification(CHANGED)])
    expect(await namesOf(one)).toEqual(['a', 'b'])
    expect(await two.request('tools/call', { name: 'b' })).toMatchObject({
      result: { content: [{ text: 'b' }] },
    })
    other.set('b')
    expect(await namesOf(two)).toEqual(['b'])
    expect(await two.request('tools/call', { name: 'a' })).toMatchObject({ error: { code: -32602 } })
    observation.detach()
    expect([await namesOf(one), other.listeners]).toEqual([[], 0])
    await vi.waitFor(() => expect([changes(one), changes(two)]).toEqual([3, 3]))
  })

  it('wraps tools, resources and prompts, the first one outermost', async () => {
    const server = create()
    const log: string[] = []
    const handled = (ctx: { readonly message: { readonly method: string } }): string => {
      log.push('handler')
      return ctx.message.method
    }
    const schema = z.object({ city: z.string() })
    server.addTool({ name: 'n', inputSchema: schema, handler: (_args, ctx) => handled(ctx) })
    server.addResource({ uri: 'a://n', name: 'n', handler: (_args, ctx) => handled(ctx) })
    server.addPrompt({ name: 'n', handler: (_args, ctx) => handled(ctx) })
    const layer =
      (name: string) =>
      async <R>(_ctx: unknown, next: () => Promise<R>): Promise<R> => {
        log.push(`${name} in`)
        const answer = await next()
        log.push(`${name} out`)
        return answer
      }
    server.use(layer('first'))
    server.use('tools/call', layer('tools'))
    server.use('resources/read', layer('resources'))
    server.use('prompts/get', layer('prompts'))
    server.use(layer('last'))
    const connection = await connect(server)
    for (const [method, kind, params] of [
      ['tools/call', 'tools', { name: 'n', arguments: { city: 'Oslo' } }],
      ['resources/read', 'resources', { uri: 'a://n' }],
      ['prompts/get', 'prompts', { name: 'n' }],
    ] as const) {
      log.length = 0
      expect(JSON.stringify((await connection.request(method, params)).result)).toContain(method)
      const inwards = ['first', kind, 'last']
      expect(log).toEqual([
        ...inwards.map((name) => `${name} in`),
        'handler',
        ...inwards.toReversed().map((name) => `${name} out`),
      ])
    }
    log.length = 0
    await connection.request('tools/call', { name: 'n', arguments: {} })
    expect(log).not.toContain('handler')
  })

  it('names an unknown argument of a strict tool', async () => {
    const server = create({ tools: { strictInput: true } })
    const inputSchema = z.object({ city: z.string() })
    server.addTool({ name: 'strict', inputSchema, handler: ({ city }) => city })
    server.addTool({ name: 'open', inputSchema, strictInput: false, handler: ({ city }) => city })
    const connection = await connect(server)
    const { result: list } = await connection.request('tools/list')
    expect(list?.['tools']).toMatchObject([
      { name: 'strict', inputSchema: { additionalProperties: false } },
      { name: 'open', inputSchema: expect.not.objectContaining({ additionalProperties: false }) },
    ])
    const call = async (name: string): Promise<unknown> =>
      (await connection.request('tools/call', { name, arguments: { city: 'Oslo', days: 3 } })).result
    expect(await call('strict')).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('days: is not a known property') }],
    })
    expect(await call('open')).toEqual({ content: [{ type: 'text', text: 'Oslo' }] })
  })
})
