import { describe, expect, it } from 'vitest'
import { initialize } from '@jetway-apps/test-support'
import { post } from '@jetway-apps/test-support/http'
import { listening } from '@jetway-apps/test-support/processes'
import { startWeather, startWeatherOnHttp } from './support/start-weather.ts'

describe('the command line', () => {
  it.each([
    ['an unknown switch', ['--sdtio'], '--sdtio'],
    ['an unknown adapter', ['--adapter', 'express'], 'express'],
    ['an unknown revision', ['--revisions', '1999-01-01', '--port', '0'], '1999-01-01'],
    ['an unknown revision over stdio', ['--revisions', '1999-01-01', '--stdio'], '1999-01-01'],
    ['an invalid address of the service', ['--live', '--api-url', 'nowhere'], 'nowhere'],
  ])('exits with code 2 and a reason for %s', async (_, args, reason) => {
    const weather = startWeather(...args)
    expect(await weather.exited).toBe(2)
    expect(weather.output.stderr).toContain(reason)
    expect(weather.output.stdout).toBe('')
  })

  it('explains every option with --help', async () => {
    const weather = startWeather('--help')
    expect(await weather.exited).toBe(0)
    expect(weather.output.stdout).toContain('--adapter')
    expect(weather.output.stdout).toContain('--live')
  })

  it('fails if the port given by --port is in use, but without --port uses the next free port', async () => {
    const first = await listening(startWeather())
    const { port } = new URL(first.url)
    const named = startWeather('--port', port)
    const [second] = await Promise.all([listening(startWeather()), named.exited])
    expect(await named.exited).toBe(1)
    expect(named.output.stderr).toContain('taken')
    expect(Number(new URL(second.url).port)).toBeGreaterThan(Number(port))
    expect(await Promise.all([first.stop(), second.stop()])).toEqual([0, 0])
  })

  it('serves only the revisions given by --revisions', async () => {
    const weather = await startWeatherOnHttp('--revisions', '2025-03-26')
    const opened = await post(weather.url, JSON.stringify(initialize()), {
      'mcp-protocol-version': '2025-03-26',
    })
    expect(await opened.json()).toMatchObject({ result: { protocolVersion: '2025-03-26' } })
    expect(await weather.stop()).toBe(0)
  })

  it('lists the tools in the welcome message even if --revisions excludes sessions', async () => {
    const weather = await startWeatherOnHttp('--revisions', '2026-07-28')
    const stream = await fetch(weather.url, { headers: { accept: 'text/event-stream' } })
    expect(stream.status).toBe(405)
    expect(weather.output.stdout).toContain('get_')
    expect(await weather.stop()).toBe(0)
  })
})
