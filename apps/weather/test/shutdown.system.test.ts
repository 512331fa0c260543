import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { callFrame, openSession, post } from '@jetway-apps/test-support/http'
import { alertsAnswer, type FakeNws, fakeNws, geoJson } from './support/fake-nws.ts'
import { startWeatherOnHttp } from './support/start-weather.ts'

/** Opens a session, and calls a tool that waits for the weather service. */
const callIn = async (url: string): Promise<{ readonly answer: Promise<Response> }> => {
  const session = await openSession(url)
  return { answer: post(url, callFrame('get_alerts', { state: 'CO' }), session) }
}

let nws: FakeNws
/** Resolves when the app requests Colorado's alerts. The value is the response object for that request. */
let asked: Promise<ServerResponse>

beforeEach(async () => {
  nws = await fakeNws()
  asked = new Promise((resolve) => nws.on('/alerts/active?area=CO', resolve))
})

afterEach(() => nws.close())

describe.each(['fastify', 'hono'])('a stop signal for an app on %s', (adapter) => {
  it.each(['SIGINT', 'SIGTERM'] as const)(
    'closes open streams and makes the app exit with code 0, even if a connection is unused (%s)',
    async (signal) => {
      const weather = await startWeatherOnHttp('--adapter', adapter)
      const headers = { accept: 'text/event-stream', ...(await openSession(weather.url)) }
      const stream = await fetch(weather.url, { headers })
      expect(stream.status).toBe(200)
      const { hostname, port } = new URL(weather.url)
      const silent = connect(Number(port), hostname)
      await once(silent, 'connect')
      const exited = weather.stop(signal)
      await stream.text()
      expect(await exited).toBe(0)
      silent.destroy()
    },
  )

  it('lets a running call finish and send its response', async () => {
    const weather = await startWeatherOnHttp('--adapter', adapter, '--live', '--api-url', nws.url)
    const { answer } = await callIn(weather.url)
    const response = await asked
    weather.process.kill('SIGTERM')
    geoJson(alertsAnswer)(response, response.req)
    expect(await (await answer).text()).toContain('Winter Storm Warning')
    expect(await weather.exited).toBe(0)
  })

  it('makes the app exit immediately with code 1 if it is sent twice', async () => {
    const weather = await startWeatherOnHttp('--adapter', adapter, '--live', '--api-url', nws.url)
    const { answer } = await callIn(weather.url)
    const cutOff = expect(answer.then((reply) => reply.text())).rejects.toThrow()
    await asked
    weather.process.kill('SIGTERM')
    weather.process.kill('SIGINT')
    expect(await weather.exited).toBe(1)
    await cutOff
  })
})
