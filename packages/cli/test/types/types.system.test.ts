import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { runBin } from '../support/bin.ts'
import { folderOf } from '../support/folder.ts'

const example = (name: string): string =>
  fileURLToPath(new URL(`../../../../apps/examples/src/publishing/${name}`, import.meta.url))

describe('jetway types', () => {
  it('writes a file, and --check compares it with the current tools', async () => {
    const out = join(folderOf({}), 'shop.ts')
    expect(await runBin(['types', example('main.ts'), '--out', out])).toMatchObject({ exitCode: 0 })
    // The example uses this repository's formatting, which has single quotes.
    expect(readFileSync(out, 'utf8').replaceAll('"', "'")).toBe(readFileSync(example('shop.ts'), 'utf8'))
    expect(await runBin(['types', example('main.ts'), '--out', out, '--check'])).toMatchObject({
      exitCode: 0,
    })
    writeFileSync(out, readFileSync(out, 'utf8').replace('total', 'sum'))
    const { exitCode, stdout } = await runBin(['types', example('main.ts'), '--out', out, '--check'])
    expect(exitCode).toBe(1)
    expect(stdout).toContain('-  readonly sum: number\n+  readonly total: number')
  })

  it('prints to stdout without --out, and requires --out for --check', async () => {
    expect((await runBin(['types', example('main.ts')])).stdout).toContain('export const getOrder')
    expect(await runBin(['types', example('main.ts'), '--check'])).toMatchObject({ exitCode: 2 })
  })
})
