import { describe, expect, it } from 'vitest'
import { createHostGuard, isLoopbackAddress } from '../../../src/http/guard/hosts.ts'
import { createHarness, initializeMessage } from '../support/harness.ts'

const loopbackNames = [
  'localhost',
  'localhost:3000',
  '127.0.0.1',
  '127.0.0.1:80',
  '[::1]',
  '[::1]:3000',
  'LOCALHOST',
  '127.0.0.2:9',
]
/** Values that a page may send after DNS rebinding. */
const tricks = [
  'evil.example',
  'localhost.evil.example',
  'evil.example:3000',
  'evil@localhost',
  'localhost@evil.example',
  'localhost.',
  'localhost:3000:3000',
  'localhost:port',
  'localhost/evil',
  'localhost evil.example',
  'localhost,evil.example',
  '127.0.0.1.evil.example',
  '127.evil.example',
  '127.0.0.1.nip.io',
  '2130706433',
  '0.0.0.0',
  '[::ffff:127.0.0.1]',
  '[::1].evil.example',
  'xn--localhost-9ua',
  '',
  ' localhost',
  'null',
]

describe('the Host check on a loopback socket', () => {
  const { host } = createHostGuard({})

  it.each(loopbackNames)('accepts %j', (value) => expect(host(value, true)).toBe(true))
  it.each(tricks)('refuses %j', (value) => expect(host(value, true)).toBe(false))
  it('refuses a request without a Host header', () => expect(host(undefined, true)).toBe(false))

  it('accepts the host in `publicUrl`', () => {
    const guard = createHostGuard({ publicUrl: 'https://mcp.example.com/base/mcp' })
    for (const value of ['mcp.example.com', 'MCP.example.com:443', 'localhost:3000'])
      expect(guard.host(value, true)).toBe(true)
    for (const value of ['example.com', 'evil.example', 'mcp.example.com.evil.example']) {
      expect(guard.host(value, true)).toBe(false)
    }
  })
})

describe('the Host check on other sockets', () => {
  it('accepts any host if there is no list of allowed hosts', () => {
    const { host } = createHostGuard({})
    for (const local of [false, undefined]) expect(host('mcp.example.com', local)).toBe(true)
  })

  it('accepts only listed hosts, on every socket, if there is a list', () => {
    const { host } = createHostGuard({
      allowedHosts: ['a.example', 'b.example:8443', '[2001:db8::1]:80', 'c.example:443'],
    })
    const allowed = ['a.example', 'a.example:1', 'A.EXAMPLE', 'b.example:8443', '[2001:db8::1]', 'c.example']
    const others = ['b.example', 'b.example:8444', 'c.example:80', 'x.a.example', 'localhost', undefined]
    for (const local of [true, false, undefined]) {
      for (const value of allowed) expect([value, host(value, local)]).toEqual([value, true])
      for (const value of others) expect([value, host(value, local)]).toEqual([value, false])
    }
  })

  it('accepts every valid host if the list contains an asterisk', () => {
    const { host } = createHostGuard({ allowedHosts: ['*'] })
    expect([host('evil.example', true), host('a/b', true)]).toEqual([true, false])
  })
})

describe('the Origin check', () => {
  it.each([
    'http://localhost',
    'http://localhost:6274',
    'https://127.0.0.1:1',
    'http://[::1]:80',
    'HTTP://LOCALHOST:3000',
  ])('accepts %j if there is no list of allowed origins', (value) =>
    expect(createHostGuard({}).origin(value)).toBe(true),
  )

  it.each([
    'null',
    '',
    'localhost',
    '//localhost',
    'http://',
    'http://localhost/',
    'http://localhost/x',
    'http://localhost?x',
    'http://localhost http://localhost',
    'tauri://localhost',
    'file://',
    'javascript://localhost',
    ...tricks.map((trick) => `http://${trick}`),
  ])('refuses %j if there is no list of allowed origins', (value) =>
    expect(createHostGuard({}).origin(value)).toBe(false),
  )

  it('accepts only exact matches if there is a list of allowed origins', () => {
    const { origin } = createHostGuard({
      allowedOrigins: ['https://app.example.com', 'tauri://localhost', 'http://b.example:80', 'tauri://c:80'],
    })
    for (const value of [
      'https://app.example.com',
      'https://APP.example.com:443',
      'tauri://localhost',
      'http://b.example',
      'tauri://c:80',
    ]) {
      expect(origin(value)).toBe(true)
    }
    for (const value of [
      'http://app.example.com',
      'https://app.example.com:8443',
      'https://app.example.com.evil.example',
      'https://x.app.example.com',
      'http://localhost',
      'tauri://c',
    ]) {
      expect(origin(value)).toBe(false)
    }
  })

  it('accepts every valid origin if the list contains an asterisk', () => {
    const { origin } = createHostGuard({ allowedOrigins: ['*'] })
    expect(['https://any.example', 'tauri://any', 'null'].map(origin)).toEqual([true, true, false])
  })

  it('accepts the origin of `publicUrl`, with or without a list', () => {
    const url = { publicUrl: new URL('https://mcp.example.com:8443/mcp') }
    expect(createHostGuard(url).origin('https://mcp.example.com:8443')).toBe(true)
    expect(createHostGuard(url).origin('http://localhost')).toBe(true)
    expect(createHostGuard({ ...url, allowedOrigins: [] }).origin('https://mcp.example.com:8443')).toBe(true)
    expect(createHostGuard({ ...url, allowedOrigins: [] }).origin('http://localhost')).toBe(false)
  })
})

describe("a mount's guard", () => {
  const post = { body: initializeMessage() }

  it('checks Host and Origin independently', async () => {
    const { send } = createHarness()
    const status = async (host: string, origin?: string): Promise<number> =>
      (await send({ ...post, localAddress: '127.0.0.1', headers: { host, origin } })).status
    expect(await status('localhost:3000')).toBe(200)
    expect(await status('localhost:3000', 'http://localhost:6274')).toBe(200)
    expect(await status('evil.example')).toBe(403)
    expect(await status('evil.example', 'http://localhost')).toBe(403)
    expect(await status('localhost:3000', 'http://evil.example')).toBe(403)
    expect(await status('evil.example', 'http://evil.example')).toBe(403)
  })

  it('mentions the option to set, but not the host, when it refuses a request', async () => {
    const { send } = createHarness()
    const host = await send({ ...post, localAddress: '::1', headers: { host: 'evil.example' } })
    expect(host.json.error?.message).toContain('allowedHosts')
    const origin = await send({ ...post, headers: { origin: 'https://evil.example' } })
    expect(origin.json.error?.message).toContain('allowedOrigins')
    expect(host.text + origin.text).not.toContain('evil')
  })

  it('caches the result for a limited number of hosts, but checks every host', async () => {
    const { host } = createHostGuard({})
    for (let i = 0; i < 1_000; i++) expect(host(`h${i}.example`, true)).toBe(false)
    expect(host('localhost', true)).toBe(true)
  })

  it.each([
    { allowedHosts: ['https://a.example'] },
    { allowedHosts: ['a.example/x'] },
    { allowedHosts: [''] },
    { allowedHosts: [5 as unknown as string] },
    { allowedHosts: 'a.example' as unknown as string[] },
    { allowedOrigins: [5 as unknown as string] },
    { allowedOrigins: [['https://a.example'] as unknown as string] },
    { allowedOrigins: 'https://a.example' as unknown as string[] },
    { allowedOrigins: ['a.example'] },
    { allowedOrigins: ['https://a.example/'] },
    { allowedOrigins: ['null'] },
    { publicUrl: '/mcp' },
    { publicUrl: 'ftp://a.example' },
  ])('throws ERR_MCP_OPTION for %j', (options) => {
    expect(() => createHostGuard(options)).toThrow(/ERR_MCP_OPTION/)
  })
})

describe('isLoopbackAddress', () => {
  it.each([
    ['127.0.0.1', true],
    ['::1', true],
    ['::ffff:127.0.0.1', true],
    ['127.8.9.10', true],
    ['::ffff:127.8.9.10', true],
    ['10.0.0.1', false],
    ['::ffff:10.0.0.1', false],
    ['::', false],
    ['0.0.0.0', false],
    ['', false],
  ])('given %j, returns %s', (address, expected) => expect(isLoopbackAddress(address)).toBe(expected))
})
