import { readFileSync } from 'node:fs'
import { startNode } from '@jetway-apps/test-support/processes'
import { program } from '@jetway-tools/runtimes/program'
import { describe, expect, it } from 'vitest'

const root = new URL('../../../', import.meta.url)
const { CALL, pictures, startOf, transcript } = (await import(
  new URL('scripts/terminal.mjs', root).href
)) as {
  readonly CALL: string
  readonly pictures: () => { readonly theme: string; readonly drawn: string; readonly committed: string }[]
  readonly startOf: (output: string) => string
  readonly transcript: () => string
}

describe('the picture of the two commands', () => {
  it.each(pictures())('is drawn from the recorded output in the $theme theme', ({ drawn, committed }) => {
    expect(committed).toBe(drawn)
  })

  it('shows the output of the weather server, and the result of calling its tool', async () => {
    const server = startNode([...program(new URL('apps/weather/src/main.ts', root)), '--http', '--port', '0'])
    const [, url = ''] = await server.until(/"ready":true,"url":"([^"]+)"/)
    const words = CALL.replace('http://127.0.0.1:3000/mcp', url).split(' ').slice(2)
    const call = startNode([...program(new URL('packages/cli/src/bin.ts', root)), ...words])
    await call.exited
    await server.stop()
    const recorded = transcript().replaceAll('http://127.0.0.1:3000/mcp', url)
    const { stdout, stderr } = server.output
    expect(recorded).toContain(startOf(stdout.includes('Its tools') ? stdout : stderr))
    expect(recorded).toContain(call.output.stdout.trim())
  })

  it('shows the commands in the README', () => {
    const readme = readFileSync(new URL('README.md', root), 'utf8')
    const commands = [...transcript().matchAll(/^\$ (.+)$/gm)].map(([, command = '']) => command)
    expect(commands.slice(0, 2)).toEqual(['npm start', CALL])
    expect(['npm test']).toEqual(expect.arrayContaining(commands.slice(2)))
    expect(commands.filter((command) => !readme.includes(command))).toEqual([])
  })
})
