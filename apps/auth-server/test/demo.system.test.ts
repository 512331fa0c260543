import { startNode } from '@jetway-apps/test-support/processes'
import { program } from '@jetway-tools/runtimes/program'
import { expect, it, onTestFinished } from 'vitest'

const MAIN = program(new URL('../src/main.ts', import.meta.url))

it('auth-demo --once runs the tour and exits', async () => {
  const demo = startNode([...MAIN, '--once'])
  onTestFinished(async () => void (await demo.stop('SIGKILL')))
  expect(await demo.exited).toBe(0)
  const { stdout } = demo.output
  expect(stdout.match(/^\d\. /gm)).toHaveLength(4)
  for (const expected of [
    '401  POST /mcp',
    'alice agrees to: weather:read offline_access',
    'get_forecast says: Denver: sunny, 24 °C. Asked by alice',
    '403  POST /mcp',
    'alice agrees to: weather:read weather:warn offline_access',
    'send_warning says: All people in Denver were warned: Hail after 6 pm',
    '200  POST /token refresh_token',
    '400  POST /token refresh_token',
  ])
    expect(stdout).toContain(expected)
  expect(stdout).not.toMatch(/eyJ|Bearer eyJ|code_verifier/)
})

it('auth-demo without --once accepts other hosts until it receives SIGTERM', async () => {
  const demo = startNode(MAIN)
  onTestFinished(async () => void (await demo.stop('SIGKILL')))
  const [, url = ''] = await demo.until(/^Now connect a host of your own to (\S+)$/m)
  const refused = await fetch(url)
  expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
    401,
    expect.stringContaining('resource_metadata='),
  ])
  expect(await demo.stop('SIGTERM')).toBe(0)
})
