import { describe, expect, it } from 'vitest'
import { http } from '../../src/http/http.ts'
import { resolveHttpOptions } from '../../src/http/options.ts'

const someFunction: unknown = expect.any(Function)

describe('HTTP options', () => {
  it('have defaults', () => {
    expect(resolveHttpOptions('http://example.com/mcp', {})).toEqual({
      url: 'http://example.com/mcp',
      network: { transport: 'tcp', protocol: 'http', address: 'example.com', port: 80 },
      headers: {},
      fetch: someFunction,
      maxMessageBytes: 67_108_864,
      closeTimeoutMs: 5_000,
      endSession: true,
      initialDelayMs: 1_000,
      maxDelayMs: 30_000,
    })
  })

  it('can override the defaults', () => {
    const flat = { headers: { a: 'b' }, maxMessageBytes: 1, closeTimeoutMs: 2, endSession: false }
    const reconnect = { initialDelayMs: 0, maxDelayMs: 3 }
    expect(resolveHttpOptions('http://example.com/', { ...flat, reconnect })).toMatchObject({
      ...flat,
      ...reconnect,
    })
  })

  it.each([
    ['https://example.com/', 443],
    ['http://example.com:8080/', 8080],
    ['https://example.com:80/', 80],
  ])('determine the port that telemetry records for %s', (url, port) => {
    expect(resolveHttpOptions(url, {}).network).toMatchObject({ port })
  })

  it.each([
    ['ftp://example.com/', 'must begin with http: or https:, not ftp:'],
    ['http://me@example.com/', 'must not have a user name or password'],
    ['http://:secret@example.com/', 'must not have a user name or password'],
  ])('reject the URL %s', (url, message) => {
    expect(() => http(url)).toThrow(message)
  })

  it('reject an unknown name and suggest the correct one', () => {
    expect(() => http('http://example.com/', { authProvider: 1 } as object)).toThrow('its name is auth')
  })
})
