import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { BARS } from '../src/bars.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

const longTests = ['packages', 'apps'].flatMap((folder) =>
  readdirSync(root + folder)
    .map((member) => `${folder}/${member}/test`)
    .filter((tests) => existsSync(root + tests))
    .flatMap((tests) =>
      readdirSync(root + tests, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.long.test.ts'))
        .map((file) => `${tests}/${file.replaceAll('\\', '/')}`),
    ),
)

describe('BARS', () => {
  const files = BARS.flatMap((bar) => bar.files ?? [])

  it('contains every long test once', () => {
    expect(files.filter((file) => file.endsWith('.long.test.ts')).toSorted()).toEqual(longTests.toSorted())
  })

  it('names existing tests', () => {
    expect(files.filter((file) => !existsSync(root + file))).toEqual([])
  })

  it('explains the missing test for each bar without tests', () => {
    const silent = BARS.filter((bar) => bar.files === undefined && bar.lacks === undefined)
    expect(silent).toEqual([])
  })
})
