import { describe, expect, it } from 'vitest'
import { type AppFlag, CommandLineError, readCommandLine, usage } from '../src/command-line.ts'

const OWN: Readonly<Record<string, AppFlag>> = {
  live: { type: 'boolean', help: 'ask the service' },
  'api-url': { type: 'string', placeholder: 'URL', help: 'where the service is' },
}
const read = (...argv: string[]): unknown => readCommandLine(argv, OWN)

describe('a command line', () => {
  it('defaults to HTTP on Fastify and loopback', () => {
    expect(read()).toEqual({
      run: 'http',
      http: { adapter: 'fastify', host: '127.0.0.1', port: undefined, response: 'auto' },
      server: { flags: { live: undefined, 'api-url': undefined }, options: {} },
    })
  })

  it('sets adapter, host, port and revisions', () => {
    expect(
      read(
        '--http',
        '--adapter',
        'hono',
        '--host',
        '::1',
        '--port=0',
        '--revisions',
        '2025-06-18,2025-11-25',
        '--response',
        'sse',
      ),
    ).toMatchObject({
      http: { adapter: 'hono', host: '::1', port: 0, response: 'sse' },
      server: { options: { revisions: ['2025-06-18', '2025-11-25'] } },
    })
  })

  it('accepts --stdio and the app’s own options', () => {
    expect(read('--stdio', '--live', '--api-url', 'http://a')).toEqual({
      run: 'stdio',
      server: { flags: { live: true, 'api-url': 'http://a' }, options: {} },
    })
  })

  it('accepts --help, and describes every option', () => {
    expect(read('--help')).toEqual({ run: 'help' })
    for (const flag of [
      'stdio',
      'http',
      'adapter',
      'port',
      'host',
      'response',
      'revisions',
      'help',
      'live',
      'api-url URL',
    ]) {
      expect(usage('weather', OWN)).toContain(`--${flag}`)
    }
  })

  it.each([
    [['--sdtio'], '--sdtio'],
    [['serve'], 'serve'],
    [['--port'], '--port'],
    [['--port', 'http'], 'from 0 to 65535'],
    [['--port', '65536'], 'from 0 to 65535'],
    [['--port=-1'], 'from 0 to 65535'],
    [['--adapter', 'express'], 'fastify or hono'],
    [['--response', 'xml'], 'auto, json or sse'],
    [['--stdio', '--http'], 'exclude'],
    [['--live=yes'], '--live'],
  ])('is rejected with a reason: %j', (argv, reason) => {
    expect(() => read(...argv)).toThrow(CommandLineError)
    expect(() => read(...argv)).toThrow(reason)
  })
})
