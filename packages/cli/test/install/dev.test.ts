import process from 'node:process'
import { describe, expect, it } from 'vitest'
import { fixture } from '../support/bin.ts'
import { createHome } from './support/home.ts'

const DEFINITION = fixture('definition')
const DRY = ['--dev', '--dry-run', '--json'] as const

async function argsOf(...argv: readonly string[]): Promise<string> {
  const { stdout } = await (await createHome()).run('install', 'cursor', ...argv, ...DRY)
  const { files } = JSON.parse(stdout) as { files: { diff: string }[] }
  return (files[0]?.diff ?? '').replaceAll(/^\+ */gm, '').replaceAll('\n', '')
}

describe('jetway install --dev', () => {
  it('writes an entry that runs jetway dev in the current folder, with absolute paths', async () => {
    const text = await argsOf(DEFINITION, '--name', 'x')
    expect(text).toContain(`"command": "${process.execPath}"`)
    expect(text).toMatch(/"\/[^"]*\/bin\.[jt]s","dev"/)
    expect(text).toContain(`"dev","${DEFINITION}","--stdio","--cwd","${process.cwd()}"]`)
  })

  it("includes --export and the file's arguments in the entry", async () => {
    const { stdout } = await (
      await createHome()
    ).run('install', 'cursor', DEFINITION, '--name', 'x', '--export', 'other', ...DRY, '--', '-v')
    expect(stdout.replaceAll(/\\n\+ */g, '')).toContain(String.raw`\"--export\",\"other\",\"--\",\"-v\"]`)
  })

  it.each([
    [['cursor', 'https://h/mcp'], '--dev needs a file'],
    [['cursor', '--', 'node', 'x.js'], '--dev needs a file'],
    [['cursor', 'nope.ts'], 'The file nope.ts does not exist'],
  ])('exits with a usage error for %j', async ([host = '', ...words], message) => {
    const { stderr, exitCode } = await (
      await createHome()
    ).run('install', host, '--dev', '--name', 'x', ...words)
    expect({ stderr, exitCode }).toEqual({ stderr: expect.stringContaining(message), exitCode: 2 })
  })
})
