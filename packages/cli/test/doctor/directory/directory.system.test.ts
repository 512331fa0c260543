/** The built command checks a server over HTTP, and writes the file for OpenAI's submission form. */
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { McpServer } from '@jetway/core'
import { expect, it } from 'vitest'
import { BIN, type BinRun } from '../../support/bin.ts'
import { folderOf } from '../../support/folder.ts'
import { serve } from '../../support/serve.ts'

interface Report extends BinRun {
  readonly checks: Readonly<Record<string, string>>
}

async function doctor(folder: string, url: string): Promise<Report> {
  const argv = [BIN, 'doctor', url, '--directory', 'chatgpt', '--out', 'submission.json', '--json']
  const run = await new Promise<BinRun>((resolve) => {
    execFile(process.execPath, argv, { cwd: folder }, (error, stdout, stderr) =>
      resolve({ stdout, stderr, exitCode: error === null ? 0 : Number(error.code) }),
    )
  })
  const { sections } = JSON.parse(run.stdout) as {
    readonly sections: readonly { readonly findings: readonly { check: string; verdict: string }[] }[]
  }
  const findings = sections.flatMap((section) => section.findings)
  return { ...run, checks: Object.fromEntries(findings.map(({ check, verdict }) => [check, verdict])) }
}

const reasons = { readOnly: 'It reads', destructive: 'It keeps', openWorld: 'It stays' }
const shop = (annotations: object): McpServer => {
  const server = new McpServer({ name: 'shop', version: '1.2.3', title: 'Shop' })
  server.addTool({ name: 'get_order', annotations, handler: () => 'An order' })
  return server
}
const folder = (): string =>
  folderOf({
    'package.json': { name: 'shop', version: '1.2.3' },
    'jetway.json': { tools: { get_order: reasons } },
  })

it('jetway doctor --directory reports a missing hint, and writes no file', async () => {
  const place = folder()
  const url = `${await serve(shop({ readOnlyHint: true }))}?key=hunter2`
  const { checks, exitCode, stdout, stderr } = await doctor(place, url)
  expect(stdout + stderr).not.toContain('hunter2')
  expect(exitCode).toBe(1)
  expect(checks).toMatchObject({
    'tool-hints': 'fault',
    'tool-reasons': 'ok',
    domain: 'step',
    https: 'fault',
  })
  expect(stderr).toContain('is not written, because of tool-hints')
  expect(existsSync(join(place, 'submission.json'))).toBe(false)
})

it('jetway doctor --directory chatgpt --out writes the known fields', async () => {
  const place = folder()
  const hints = { readOnlyHint: true, destructiveHint: false, openWorldHint: false }
  const { checks } = await doctor(place, await serve(shop(hints)))
  expect(checks).toMatchObject({ 'tool-hints': 'ok', category: 'fault' })
  expect(JSON.parse(readFileSync(join(place, 'submission.json'), 'utf8'))).toMatchObject({
    app_info: { display_name: 'Shop' },
    tools: { get_order: { annotations: hints, justifications: { read_only_justification: 'It reads' } } },
  })
})
