import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readPackageJson } from '../../src/project/package-json.ts'
import { folderOf } from '../support/folder.ts'

const read = (content: object) =>
  readPackageJson(
    join(folderOf({ 'package.json': { name: 'shop', version: '1.2.3', ...content } }), 'server.ts'),
  )

describe('readPackageJson', () => {
  it.each([
    ['Ann', { name: 'Ann' }],
    [
      'Ann Example <ann@a.example> (https://a.example)',
      { name: 'Ann Example', email: 'ann@a.example', url: 'https://a.example' },
    ],
    [
      { name: 'Ann', url: 'https://a.example' },
      { name: 'Ann', url: 'https://a.example' },
    ],
    [{ email: 'a' }, undefined],
    [undefined, undefined],
  ])('reads the author %j', (author, expected) => {
    expect(read({ author }).author).toEqual(expected)
  })

  it.each([
    ['ann/shop', 'https://github.com/ann/shop'],
    ['gitlab:ann/shop', 'https://gitlab.com/ann/shop'],
    ['git+https://github.com/ann/shop.git', 'https://github.com/ann/shop'],
    ['git@github.com:ann/shop.git', 'https://github.com/ann/shop'],
    ['ssh://git@github.com/ann/shop', 'https://github.com/ann/shop'],
    [
      { type: 'git', url: 'git://github.com/ann/shop.git', directory: 'packages/a' },
      'https://github.com/ann/shop',
    ],
  ])('reads the repository %j', (repository, url) => {
    const found = read({ repository }).repository
    expect(found?.url).toBe(url)
    expect(found?.folder).toBe(typeof repository === 'object' ? 'packages/a' : undefined)
  })

  it.each(['name', 'version'])('rejects a manifest without %s', (member) => {
    expect(() => read({ [member]: '' })).toThrow(`has no ${member}`)
  })

  it('fails in a folder without a manifest', () => {
    expect(() => readPackageJson(join(folderOf({}), 'server.ts'))).toThrow('No package.json')
  })
})
