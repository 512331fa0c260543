import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { duplex } from '@jetway/client'
import type { ServerConfig } from '@jetway/client/config'
import type { Approve } from '@jetway/client/manager'
import { McpServer } from '@jetway/core'
import { createMemoryTransportPair } from '@jetway/core/transport'
import { expect, it, onTestFinished, vi } from 'vitest'
import { askAll, asking, careful, closeOnSignals, watch } from '../src/client/client-manager.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const script = fileURLToPath(new URL('./support/oracle-server.mjs', import.meta.url))
const oracle = (answer: string): ServerConfig => ({ command: execPath, args: [script, answer] })

/** Serves a server in this process. `end` disconnects the most recent connection. */
function inMemory(server: McpServer) {
  let end = (): Promise<void> => Promise.resolve()
  return {
    dial: () => {
      const [near, far] = createMemoryTransportPair()
      server.connect(far, { endGraceMs: 1 })
      end = () => far.close()
      return duplex(near)
    },
    end: () => end(),
  }
}

it('the manager lists all servers, and names the one that could not start', async () => {
  const lines: string[] = []
  const answers = await askAll(
    { delphi: oracle('perhaps'), dodona: oracle('yes'), none: { command: '/no/such/oracle' } },
    'Will it rain?',
    (line) => lines.push(line),
  )
  expect(answers).toEqual(['mcp__delphi__ask: perhaps', 'mcp__dodona__ask: yes'])
  expect(lines).toEqual(['2 servers are connected', expect.stringContaining('none is not: ')])
})

it('a careful host offers only read-only tools, and asks the user before each call', async () => {
  const server = new McpServer({ name: 'files', version: '1.0.0' })
  for (const name of ['read_file', 'read_secret', 'delete_file'])
    server.addTool({ name, handler: () => name })
  const confirm = vi.fn((text: string) => Promise.resolve(text.startsWith('Call')))
  await using manager = careful(asking(confirm))
  const { dial } = inMemory(server)
  await manager.connectAll({ files: dial, shell: inMemory(server).dial })
  expect((await manager.tools()).map(({ name }) => name)).toEqual(['mcp__files__read_file'])
  expect(await manager.callTool('mcp__files__read_file')).toMatchObject({ content: [{ text: 'read_file' }] })
  await expect(manager.callTool({ server: 'files', tool: 'delete_file' })).rejects.toMatchObject({
    code: 'not-approved',
  })
  await expect(manager.connect('oracle', oracle('no'))).rejects.toMatchObject({ code: 'not-approved' })
  expect(confirm.mock.calls.map(([text]) => text)).toEqual([
    'Call read_file of files with {}?',
    `Start ${JSON.stringify([execPath, script, 'no'])} for oracle?`,
  ])
})

it('the user must approve each sampling request, and sees forms in a separate dialog', async () => {
  const approve: Approve = asking(() => Promise.resolve(false))
  const { signal } = new AbortController()
  const sample = { messages: [], maxTokens: 1 }
  expect(await approve({ kind: 'sample', server: 'a', detail: sample, signal })).toBe(false)
  const elicit = { message: 'Name?', requestedSchema: { type: 'object', properties: {} } } as const
  expect(await approve({ kind: 'elicit', server: 'a', detail: elicit, signal })).toBe(true)
})

it('a signal closes the servers and then exits the process', async () => {
  const { ClientManager } = await import('@jetway/client/manager')
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true)
  onTestFinished(() => kill.mockRestore())
  const manager = new ClientManager({ name: 'my-host', version: '1.0.0' })
  await manager.connect('files', inMemory(new McpServer({ name: 'files', version: '1.0.0' })).dial)
  const before = new Map(SIGNALS.map((signal) => [signal, process.listeners(signal)]))
  onTestFinished(() => {
    for (const signal of SIGNALS)
      for (const listener of process.listeners(signal))
        if (before.get(signal)?.includes(listener) === false) process.off(signal, listener)
  })
  closeOnSignals(manager)
  process.listeners('SIGHUP').at(-1)?.('SIGHUP')
  await vi.waitFor(() => expect(kill).toHaveBeenCalledExactlyOnceWith(process.pid, 'SIGHUP'))
  expect(manager.names()).toEqual([])
})

it('the manager emits events when servers are added and removed', async () => {
  const { ClientManager } = await import('@jetway/client/manager')
  await using manager = new ClientManager(
    { name: 'my-host', version: '1.0.0' },
    { reconnect: { initialDelayMs: 1, maxAttempts: 2 } },
  )
  const lines: string[] = []
  watch(manager, (line) => lines.push(line))
  const memory = inMemory(new McpServer({ name: 'memory', version: '1.0.0' }))
  let down = false
  await manager.connect('memory', () => {
    if (down) throw new Error('It is away')
    return memory.dial()
  })
  await memory.end()
  await vi.waitFor(() => expect(lines).toEqual(['memory: attempt 1 of 2', 'memory is back']))
  down = true
  await memory.end()
  await vi.waitFor(() => expect(lines.at(-1)).toMatch(/^memory is gone/))
  expect(lines.slice(2)).toEqual([
    'memory: attempt 2 of 2',
    'memory: It is away',
    'memory is gone: 2 attempts to reconnect have failed: It is away',
  ])
})
