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

describe('the reliability bar', () => {
  it('has each long test once, and no others', () => {
    expect(BARS.flatMap(({ files = [] }) => files).toSorted()).toEqual(longTests.toSorted())
  })

  it('names what is missing where nothing is measured', () => {
    const silent = BARS.filter(({ files = [], lacks }) => files.length === 0 && lacks === undefined)
    expect(silent).toEqual([])
  })
})
