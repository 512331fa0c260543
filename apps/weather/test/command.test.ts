import { describe, expect, it } from 'vitest'
import { startWeather, startWeatherOnHttp } from './support/start-weather.ts'

const TAKEN = /taken/

describe('the command line', () => {
  it.each([
    ['an unknown switch', ['--sdtio'], '--sdtio'],
    ['an unknown adapter', ['--adapter', 'express'], 'express'],
    ['an unknown revision', ['--revisions', '1999-01-01', '--port', '0'], '1999-01-01'],
    ['an unknown revision over stdio', ['--revisions', '1999-01-01', '--stdio'], '1999-01-01'],
    ['an address of the service that is none', ['--live', '--api-url', 'nowhere'], 'nowhere'],
  ])('%s ends it with code 2 and a reason', async (_, args, reason) => {
    const weather = startWeather(...args)
    expect(await weather.exited).toBe(2)
    expect(weather.said.stderr).toContain(reason)
    expect(weather.said.stdout).toBe('')
  })

  it('--help explains every switch', async () => {
    const weather = startWeather('--help')
    expect(await weather.exited).toBe(0)
    expect(weather.said.stdout).toContain('--adapter')
    expect(weather.said.stdout).toContain('--live')
  })

  it('a port that is taken is an error where it was asked for', async () => {
    const first = await startWeatherOnHttp()
    const second = startWeather('--port', new URL(first.url).port)
    expect(await second.exited).toBe(1)
    expect(second.said.stderr).toMatch(TAKEN)
    first.process.kill('SIGTERM')
    expect(await first.exited).toBe(0)
  })

  it('--revisions narrows what is served', async () => {
    const weather = await startWeatherOnHttp('--revisions', '2025-03-26')
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    }
    const response = await fetch(weather.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
    })
    expect(await response.text()).toContain('"protocolVersion":"2025-03-26"')
    weather.process.kill('SIGTERM')
    expect(await weather.exited).toBe(0)
  })

  it.each(['SIGINT', 'SIGTERM'] as const)('%s ends it with code 0 while a stream is open', async (signal) => {
    const weather = await startWeatherOnHttp()
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    }
    const post = async (body: object, session: Record<string, string>): Promise<Response> =>
      fetch(weather.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...session,
        },
        body: JSON.stringify({ jsonrpc: '2.0', ...body }),
      })
    const opened = await post({ id: 1, method: 'initialize', params }, {})
    await opened.text()
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
    await (await post({ method: 'notifications/initialized' }, session)).text()
    const stream = await fetch(weather.url, { headers: { accept: 'text/event-stream', ...session } })
    expect(stream.status).toBe(200)
    weather.process.kill(signal)
    await stream.text()
    expect(await weather.exited).toBe(0)
  })
})
