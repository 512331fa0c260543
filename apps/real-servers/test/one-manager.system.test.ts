import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEverythingServer } from '@jetway-apps/everything/server'
import { onFastify, onHono } from '@jetway-apps/test-support/mounts'
import type { ServerConfig } from '@jetway/client/config'
import { ClientManager } from '@jetway/client/manager'
import type { ChildProcessOptions, Spawn } from '@jetway/client/stdio'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { stdioCommand } from './support/jetway.ts'
import { commandOf, serveEverything } from './support/servers.ts'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'jetway-one-manager-')))
const processes: { readonly server: string; readonly child: ChildProcess }[] = []
const spawning =
  (server: string): Spawn =>
  (command, args, options) => {
    const child = spawn(command, args, { ...options, stdio: [...options.stdio] })
    processes.push({ server, child })
    return child
  }
const childServer = (name: string, options: ChildProcessOptions): ServerConfig => ({
  ...options,
  stderr: 'ignore',
  spawn: spawning(name),
})
const publishedServer = (
  name: string,
  which: Parameters<typeof commandOf>[0],
  args: readonly string[] = [],
): ServerConfig =>
  childServer(name, {
    command: process.execPath,
    args: [commandOf(which), ...args],
    env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') },
  })

const ends: (() => Promise<void>)[] = []
const elicited: (string | undefined)[] = []
const manager = new ClientManager(
  { name: 'host', version: '1.0.0' },
  {
    client: { eras: false },
    reconnect: { initialDelayMs: 1 },
    handlers: {
      elicit: (_, { name }) => {
        elicited.push(name)
        return { action: 'decline' }
      },
    },
  },
)
const EVERYTHING = ['theirs-stdio', 'theirs-sse', 'theirs-http'] as const
const JETWAY = ['ours-stdio', 'ours-fastify', 'ours-hono', 'ours-sse'] as const

beforeAll(async () => {
  const [sse, streamable, fastify, hono] = await Promise.all([
    serveEverything('sse'),
    serveEverything('streamableHttp'),
    onFastify(createEverythingServer(), { legacySse: true }),
    onHono(createEverythingServer()),
  ])
  ends.push(
    () => sse.close(),
    () => streamable.close(),
    fastify.stop,
    hono.stop,
  )
  const report = await manager.connectAll({
    'theirs-stdio': publishedServer('theirs-stdio', 'everything'),
    'theirs-sse': { transport: 'sse', url: sse.url },
    'theirs-http': { url: streamable.url },
    files: publishedServer('files', 'filesystem', [folder]),
    memory: publishedServer('memory', 'memory'),
    'ours-stdio': childServer('ours-stdio', stdioCommand),
    'ours-fastify': { url: `${fastify.origin}/mcp` },
    'ours-hono': { url: `${hono.origin}/mcp` },
    'ours-sse': { transport: 'sse', url: `${fastify.origin}/sse` },
  })
  expect(report).toEqual({ connected: 9, errors: [] })
})
afterAll(async () => {
  await manager.closeAll()
  for (const { child } of processes) expect(child.exitCode ?? child.signalCode).not.toBeNull()
  await Promise.all(ends.map((end) => end()))
  rmSync(folder, { recursive: true })
})

describe('nine servers in one manager, over all transports', () => {
  it('each use the newest revision that they support', () => {
    expect([...manager.names()].toSorted()).toEqual([...EVERYTHING, ...JETWAY, 'files', 'memory'].toSorted())
    const revision = (name: string): unknown => manager.get(name)?.server?.protocolVersion
    expect(EVERYTHING.map(revision)).toEqual(['2025-11-25', '2025-11-25', '2025-11-25'])
    expect(JETWAY.map(revision)).toEqual(['2026-07-28', '2026-07-28', '2026-07-28', '2025-11-25'])
  })

  it('have tools whose names are prefixed with the server’s name', async () => {
    const tools = await manager.tools()
    expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length)
    for (const { name, server, tool } of tools) expect(name).toBe(`mcp__${server}__${tool.name}`)
    expect(new Set(tools.map(({ server }) => server)).size).toBe(9)
    expect(tools.length).toBeGreaterThan(150)
  })

  it('receive only their own calls, even when calls are concurrent', async () => {
    const path = join(folder, 'note.txt')
    writeFileSync(path, 'Hello')
    const calls: [string, object][] = [
      ...EVERYTHING.map((name): [string, object] => [`mcp__${name}__echo`, { message: name }]),
      ...JETWAY.map((name): [string, object] => [`mcp__${name}__test_simple_text`, {}]),
      ['mcp__files__read_text_file', { path }],
      ['mcp__memory__read_graph', {}],
    ]
    const results = await Promise.all(calls.map(([name, args]) => manager.callTool(name, { ...args })))
    expect(results.map(({ content: [block] }) => (block?.type === 'text' ? block.text : undefined))).toEqual([
      ...EVERYTHING.map((name) => `Echo: ${name}`),
      ...JETWAY.map(() => 'This is a simple text response for testing.'),
      'Hello',
      expect.stringContaining('"entities": []'),
    ])
    await expect(manager.callTool('mcp__files__echo', {})).rejects.toThrow('read_text_file')
  })

  it('may have prompts and resources with the same names', async () => {
    const prompts = await manager.prompts()
    expect(prompts.filter(({ item }) => item.name === 'simple-prompt').map(({ server }) => server)).toEqual([
      ...EVERYTHING,
    ])
    const resources = await manager.resources()
    const statics = resources.filter(({ item }) => item.uri === 'test://static-text')
    expect(new Set(statics.map(({ server }) => server))).toEqual(new Set(JETWAY))
    const [first, again] = [
      await manager.readResource('ours-hono', 'test://static-text'),
      await manager.readResource('ours-hono', 'test://static-text'),
    ]
    expect(first).toMatchObject({ contents: [{ mimeType: 'text/plain' }] })
    expect(again).toEqual(first)
  })

  it('elicit through a single handler that receives the server’s name', async () => {
    await vi.waitFor(async () =>
      expect((await manager.tools()).map(({ name }) => name)).toContain(
        'mcp__theirs-http__trigger-elicitation-request',
      ),
    )
    for (const name of ['theirs-stdio', 'theirs-sse', 'theirs-http'])
      await manager.callTool({ server: name, tool: 'trigger-elicitation-request' })
    expect(elicited).toEqual([...EVERYTHING])
  })

  it('are not affected if another server is killed during a call and reconnects', async () => {
    const events: string[] = []
    for (const event of ['reconnecting', 'reconnected', 'serverRemoved'] as const)
      manager.on(event, ({ server }) => void events.push(`${event} ${server}`))
    const call = manager.callTool('mcp__theirs-stdio__trigger-long-running-operation', { duration: 60 })
    const outcome = call.catch((error: unknown) => error)
    const other = manager.callTool('mcp__theirs-http__trigger-long-running-operation', {
      duration: 0.1,
      steps: 1,
    })
    await vi.waitFor(() =>
      expect(manager.stats().servers.find(({ server }) => server === 'theirs-stdio')?.pending).toBe(1),
    )
    processes.find(({ server }) => server === 'theirs-stdio')?.child.kill('SIGKILL')
    expect(await outcome).toMatchObject({ code: 'closed', cause: { signal: 'SIGKILL' } })
    expect(await manager.callTool('mcp__theirs-stdio__echo', { message: 'back' })).toMatchObject({
      content: [{ text: 'Echo: back' }],
    })
    expect(await other).toMatchObject({ content: [{ text: expect.stringContaining('completed') }] })
    expect(events).toEqual(['reconnecting theirs-stdio', 'reconnected theirs-stdio'])
  })
})
