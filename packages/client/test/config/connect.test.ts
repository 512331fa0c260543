import { bearer } from '@jetway/core/http'
import { bearerToken as token } from '@jetway/client'
import { connect, transportFor, type ServerConfig } from '@jetway/client/config'
import { describe, expect, it, vi } from 'vitest'
import { runs } from '../stdio/support/processes.ts'
import { mount, ORIGIN } from '../support/mounted.ts'
import { everything } from '../support/servers.ts'
import { INFO } from '../support/scripted.ts'
import { spawning } from './support.ts'

/** Code of a process that writes its pid to stderr and ignores SIGTERM. */
const SILENT = `process.on('SIGTERM', () => {}); setInterval(() => {}, 9e6); console.error(process.pid)`

/** Code of a server that opens a session and sends its name. */
const ANSWERING = `
  console.error(process.pid)
  const serverInfo = { name: 'tiny', version: '1' }
  const result = { protocolVersion: '2025-06-18', capabilities: {}, serverInfo }
  require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method } = JSON.parse(line)
    if (method === 'initialize') console.log(JSON.stringify({ jsonrpc: '2.0', id, result }))
  })`

describe('connect', () => {
  it.each<[string, Record<string, unknown>]>([
    ['no transport', {}],
    ["'stdio'", { transport: 'stdio' }],
  ])('starts a process with the given options for a command with %s', async (_, more) => {
    const { spawn, spawned } = spawning(everything())
    const config: ServerConfig = { command: 'my-server', args: ['--all'], env: { A: 'b' }, spawn, ...more }
    const client = await connect(config, { info: INFO, name: 'mine' })
    expect(client.name).toBe('mine')
    expect((await client.callTool('hello')).content).toEqual([{ type: 'text', text: 'Hello' }])
    await client.close()
    expect(spawned).toMatchObject([{ command: 'my-server', args: ['--all'], options: { env: { A: 'b' } } }])
  })

  it.each<[string, Record<string, unknown>]>([
    ['no transport', {}],
    ["'http'", { transport: 'http' }],
  ])(
    'uses Streamable HTTP for a url with %s, and keeps the query but sends no credentials',
    async (_, more) => {
      const { fetch, requests } = mount(everything())
      const url = `${ORIGIN}/mcp?token=in-the-address`
      const client = await connect({ url, fetch, ...more }, { info: INFO })
      expect(client.server?.protocolVersion).toBe('2026-07-28')
      await client.close()
      expect(new Set(requests.map((request) => request.url))).toEqual(new Set([url]))
      expect(requests.some((request) => request.headers.has('authorization'))).toBe(false)
    },
  )

  it("opens the stream first for 'sse', and then posts only to the stream's endpoint", async () => {
    const { fetch, requests } = mount(everything(), { legacySse: true })
    const client = await connect(
      { transport: 'sse', url: `${ORIGIN}/sse`, fetch },
      { info: INFO, eras: false },
    )
    expect((await client.callTool('hello')).content).toEqual([{ type: 'text', text: 'Hello' }])
    await client.close()
    expect(requests.map(({ method, url }) => `${method} ${new URL(url).pathname}`)).toEqual(
      expect.arrayContaining(['GET /sse', 'POST /message']),
    )
    expect(requests.filter(({ method, url }) => method === 'POST' && url.endsWith('/sse'))).toEqual([])
  })

  it.each(['http', 'sse'] as const)(
    'sends credentials and headers with every request over %s',
    async (transport) => {
      const authenticate = bearer({
        verify: async (given) => (given === 'ticket' ? { principal: 'ann' } : undefined),
      })
      const { fetch, requests } = mount(everything(), { legacySse: true, authenticate })
      const url = `${ORIGIN}/${transport === 'sse' ? 'sse' : 'mcp'}`
      const client = await connect(
        { transport, url, fetch, auth: token('ticket'), headers: { 'x-tenant': 'blue' } },
        { info: INFO, eras: false },
      )
      await client.callTool('hello')
      await client.close()
      expect(new Set(requests.map(({ headers }) => headers.get('authorization')))).toEqual(
        new Set(['Bearer ticket']),
      )
      expect(new Set(requests.map(({ headers }) => headers.get('x-tenant')))).toEqual(new Set(['blue']))
    },
  )
})

describe('transportFor with an invalid configuration', () => {
  it.each<[string, unknown, string]>([
    ['an undefined configuration', undefined, '{ command, args }'],
    ['a configuration without a command or url', {}, 'needs a command or a url'],
    ['a configuration with both a command and a url', { command: 'a', url: ORIGIN }, 'not both'],
    ['an unknown transport', { transport: 'carrier-pigeon', url: ORIGIN }, "'stdio', 'http' or 'sse'"],
    ['stdio without a command', { transport: 'stdio' }, 'needs a command'],
    ['http without a url', { transport: 'http' }, 'https://example.com/mcp'],
    ['a command line', { command: 'a', args: '--all --secret=hush' }, 'list of strings'],
    ['a relative url', { url: '/mcp?token=hush' }, 'absolute'],
    ['a file url', { url: 'file:///hush' }, 'must begin with http: or https:'],
    ['a password in the url', { url: 'https://ann:hush@example.com/' }, 'use headers or auth'],
    ['headers for a process', { command: 'a', headers: { authorization: 'hush' } }, 'does not take headers'],
    ['a spawn for a url', { url: ORIGIN, spawn: () => {} }, 'does not take spawn'],
    ['a misspelt field', { url: ORIGIN, header: { authorization: 'hush' } }, 'no field "header"'],
  ])('rejects %s', (_, config, expected) => {
    let thrown: unknown
    try {
      transportFor(config as ServerConfig)
    } catch (error) {
      thrown = error
    }
    expect(thrown).toBeInstanceOf(TypeError)
    expect((thrown as TypeError).message).toContain(expected)
    expect(JSON.stringify(thrown, Object.getOwnPropertyNames(thrown))).not.toContain('hush')
  })
})

it('the client from connect ends its process when it goes out of scope', async () => {
  let pid = 0
  {
    await using client = await connect(
      { command: process.execPath, args: ['-e', ANSWERING], stderr: (line) => (pid = Number(line)) },
      { info: INFO, revisions: ['2025-06-18'] },
    )
    expect(client.isAlive).toBe(true)
    await vi.waitFor(() => expect(runs(pid)).toBe(true))
  }
  expect(runs(pid)).toBe(false)
})

it('connect() ends an unresponsive process when the signal is aborted', async () => {
  let pid = 0
  const giveUp = new AbortController()
  const attempt = connect(
    {
      command: process.execPath,
      args: ['-e', SILENT],
      stop: { inputMs: 0, signal: 'SIGTERM', signalMs: 50 },
      stderr: (line) => {
        pid = Number(line)
        giveUp.abort(new Error('enough'))
      },
    },
    { info: INFO, signal: giveUp.signal },
  )
  await expect(attempt).rejects.toThrow('enough')
  expect(pid).toBeGreaterThan(0)
  expect(runs(pid)).toBe(false)
})
