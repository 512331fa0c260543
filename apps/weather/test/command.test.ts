import { describe, expect, it } from 'vitest'
import { openSession } from './support/open-session.ts'
import { listening, startWeather, startWeatherOnHttp } from './support/start-weather.ts'

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

  it('--help explains every option', async () => {
    const weather = startWeather('--help')
    expect(await weather.exited).toBe(0)
    expect(weather.said.stdout).toContain('--adapter')
    expect(weather.said.stdout).toContain('--live')
  })

  it('a taken port is an error if --port names it', async () => {
    const first = await startWeatherOnHttp()
    const second = startWeather('--port', new URL(first.url).port)
    expect(await second.exited).toBe(1)
    expect(second.said.stderr).toContain('taken')
    first.process.kill('SIGTERM')
    expect(await first.exited).toBe(0)
  })

  it('without --port, it uses the next free port', async () => {
    const [first, second] = [await listening(startWeather()), await listening(startWeather())]
    expect(Number(new URL(second.url).port)).toBeGreaterThan(Number(new URL(first.url).port))
    for (const { process, exited } of [first, second]) {
      process.kill('SIGTERM')
      expect(await exited).toBe(0)
    }
  })

  it('--revisions limits the revisions', async () => {
    const weather = await startWeatherOnHttp('--revisions', '2025-03-26')
    const client = await openSession(weather.url)
    expect(client.protocolVersion).toBe('2025-03-26')
    weather.process.kill('SIGTERM')
    expect(await weather.exited).toBe(0)
  })

  it('--revisions can leave no sessions, and the welcome still lists the tools', async () => {
    const weather = await startWeatherOnHttp('--revisions', '2026-07-28')
    const stream = await fetch(weather.url, { headers: { accept: 'text/event-stream' } })
    expect(stream.status).toBe(405)
    expect(weather.said.stdout).toContain('get_')
    weather.process.kill('SIGTERM')
    expect(await weather.exited).toBe(0)
  })
})
