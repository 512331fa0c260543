import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'

it('the error guide has a row for every error code', async () => {
  const read = (path: string): Promise<string> => readFile(new URL(path, import.meta.url), 'utf8')
  const [, union = ''] = /type ClientErrorCode =([^/]+)/.exec(await read('../src/errors.ts')) ?? []
  const codes = [...union.matchAll(/'([a-z-]+)'/g)].map(([, code]) => code)
  expect(codes.length).toBeGreaterThan(10)
  const rows = (await read('../../../docs/guide/client.md')).match(/^\| `[^|]+\|/gm)?.join('') ?? ''
  expect(codes.filter((code) => !rows.includes(`\`${code}\``))).toEqual([])
})
