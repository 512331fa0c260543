import { initialize, INITIALIZED } from '@jetway-apps/test-support'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, it } from 'vitest'
import { startWeatherOnHttp } from './support/start-weather.ts'

interface DesktopConfig {
  readonly mcpServers: { readonly weather: { readonly command: string; readonly args: readonly string[] } }
}

async function printedConfig(): Promise<DesktopConfig> {
  const weather = await startWeatherOnHttp()
  await weather.stop()
  const { stdout } = weather.output
  return JSON.parse(stdout.slice(stdout.indexOf('\n{\n'), stdout.indexOf('\n}\n') + 2)) as DesktopConfig
}

it('the printed configuration works in the root folder with a minimal environment', async () => {
  const { command, args } = (await printedConfig()).mcpServers.weather
  const child = spawn(command, args, {
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  child.stderr.resume()
  const exited = once(child, 'close')
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const ask = async (message: object): Promise<unknown> => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    return JSON.parse((await lines.next()).value as string)
  }

  expect(await ask(initialize('2025-11-25', { id: 0 }))).toMatchObject({
    id: 0,
    result: { serverInfo: { name: 'weather' } },
  })
  child.stdin.write(`${JSON.stringify(INITIALIZED)}\n`)
  const call = { name: 'get_forecast', arguments: { city: 'Denver' } }
  expect(await ask({ id: 1, method: 'tools/call', params: call })).toMatchObject({
    jsonrpc: '2.0',
    id: 1,
    result: { structuredContent: { place: 'Denver, CO' } },
  })

  child.stdin.end()
  expect(await lines.next()).toMatchObject({ done: true })
  expect(await exited).toEqual([0, null])
})
