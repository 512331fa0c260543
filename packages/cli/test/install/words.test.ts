import process from 'node:process'
import { describe, expect, it } from 'vitest'
import { diff } from '../../src/install/diff.ts'
import {
  nameFor,
  pathWarnings,
  remoteOrCommand,
  serverFrom,
  type ServerWords,
} from '../../src/install/server.ts'
import { folderWith } from '../doctor/support/programs.ts'

const words = (given: Partial<ServerWords>): ServerWords => ({
  word: undefined,
  rest: undefined,
  env: [],
  headers: [],
  dev: false,
  ...given,
})
const URL_WORD = 'https://h.example/mcp'
const FILES = { 'bin/shop': '', 'server.js': '', 'server.txt': '' }
const NODE = { command: process.execPath, env: {}, references: [] }

describe('serverFrom', () => {
  it.each<readonly [string, Partial<ServerWords>, object | undefined]>([
    ['no arguments', {}, undefined],
    ['a URL', { word: URL_WORD }, { url: URL_WORD, headers: {} }],
    ['a URL in capitals', { word: 'HTTP://h' }, { url: 'HTTP://h', headers: {} }],
    [
      'headers',
      { word: URL_WORD, headers: ['A:b', 'X-C:  d: e'] },
      { url: URL_WORD, headers: { A: 'b', 'X-C': 'd: e' } },
    ],
    ['a file', { word: '~/server.js' }, { ...NODE, args: ['~/server.js'] }],
    ['a program of PATH', { rest: ['shop', 'a'] }, { ...NODE, command: '~/bin/shop', args: ['a'] }],
    ['a program given by its path', { rest: ['/x/shop'] }, { ...NODE, command: '/x/shop', args: [] }],
    ['a relative program', { rest: ['./shop'] }, { ...NODE, command: `${process.cwd()}/shop`, args: [] }],
    [
      'variables',
      { rest: ['/x'], env: ['A=1', 'B', 'C=', 'D=e=f', '_G=\n'] },
      { command: '/x', args: [], env: { A: '1', C: '', D: 'e=f', _G: '\n' }, references: ['B'] },
    ],
  ])('accepts %s', (_, given, expected) => {
    const { path } = folderWith(FILES)
    const { word } = given
    const server = serverFrom(
      words({ ...given, ...(word !== undefined && { word: path(word) }) }),
      path('~/bin'),
    )
    expect(server).toEqual(expected === undefined ? undefined : JSON.parse(path(JSON.stringify(expected))))
  })

  it.each<readonly [Partial<ServerWords>, string]>([
    [{ word: URL_WORD, rest: ['x'] }, 'There are two targets'],
    [{ word: 'https://' }, 'https:// is not a valid URL'],
    [{ word: URL_WORD, env: ['A'] }, '--env needs a local server'],
    [{ word: URL_WORD, headers: ['A'] }, '--header has another form'],
    [{ word: URL_WORD, headers: ['A b: c'] }, '--header has another form'],
    [{ rest: ['/x'], headers: ['A: b'] }, '--header needs a URL'],
    [{ rest: [] }, 'There is no command after --'],
    [{ rest: ['none'] }, 'The program none is not in PATH'],
    [{ rest: ['/x'], env: ['1=a'] }, '--env has another form'],
    [{ rest: ['/x'], env: ['A B=a'] }, '--env has another form'],
    [{ word: '~/server.txt' }, 'server.txt is not a JavaScript file'],
    [{ word: 'none.js' }, 'The file none.js does not exist'],
  ])('rejects %j', ({ word, ...other }, message) => {
    const { path } = folderWith(FILES)
    const given = words({ ...other, ...(word !== undefined && { word: path(word) }) })
    expect(() => serverFrom(given, '/no')).toThrow(
      expect.objectContaining({ code: 'usage', message: expect.stringContaining(message) }),
    )
  })

  it.each<readonly [Partial<ServerWords>, object]>([
    [{ word: URL_WORD }, { url: URL_WORD, headers: {} }],
    [
      { rest: ['npx', 'a'], env: ['B'] },
      { command: 'npx', args: ['a'], env: {}, references: ['B'] },
    ],
  ])('accepts %j for a link', (given, expected) => {
    expect(remoteOrCommand(words(given))).toEqual(expected)
  })

  it.each<readonly [Partial<ServerWords>, string]>([
    [{ word: URL_WORD, headers: ['A: b'] }, 'A link must have no secrets'],
    [{ rest: ['npx'], env: ['B', 'A=1'] }, 'A link must have no secrets'],
    [{ word: 'server.js' }, 'A link is for other machines'],
    [{ word: 'server.js', rest: ['npx'] }, 'A link is for other machines'],
    [{}, 'A link is for other machines'],
    [{ rest: [] }, 'A link is for other machines'],
  ])('rejects %j for a link', (given, message) => {
    expect(() => remoteOrCommand(words(given))).toThrow(message)
  })
})

describe('nameFor', () => {
  const PACKAGES = {
    'a/package.json': '{"name":"@scope/my.shop"}',
    'a/src/index.js': '',
    'a/unnamed/package.json': '{"version":"1"}',
    'a/unnamed/b.js': '',
  }

  it.each<readonly [given: string | undefined, Partial<ServerWords>, string]>([
    ['mine', { word: URL_WORD }, 'mine'],
    ['x'.repeat(64), {}, 'x'.repeat(64)],
    [undefined, { word: 'https://mcp.h.example:8/mcp' }, 'mcp-h-example'],
    [undefined, { rest: ['/usr/bin/npx.CMD', 'a'] }, 'npx'],
    [undefined, { rest: ['shop.exe'] }, 'shop'],
    [undefined, { word: '~/a/src/index.js' }, 'my-shop'],
    [undefined, { word: '~/a/unnamed/b.js' }, 'my-shop'],
    [undefined, { word: '~/b/shop.js' }, 'shop'],
  ])('given the name %s and the arguments %j, returns %s', (given, { word, ...other }, expected) => {
    const { path } = folderWith(PACKAGES)
    expect(nameFor(given, words({ ...other, ...(word !== undefined && { word: path(word) }) }))).toBe(
      expected,
    )
  })

  it.each<readonly [given: string | undefined, Partial<ServerWords>, string]>([
    [undefined, {}, 'There is no name'],
    [undefined, { word: 'https://' }, 'There is no name'],
    [undefined, { rest: [] }, 'The name  must be 1 to 64'],
    ['', {}, 'The name  must be 1 to 64'],
    ['x'.repeat(65), {}, 'must be 1 to 64'],
    ['a.b', {}, 'The name a.b must be'],
  ])('rejects the name %j with the arguments %j', (given, other, message) => {
    expect(() => nameFor(given, words(other))).toThrow(message)
  })
})

it('pathWarnings() warns about paths that an update will remove', () => {
  const local = { command: '/home/a/.nvm/v1/node', args: ['/x.js', '/a/_npx/b.js'], env: {}, references: [] }
  expect(pathWarnings(local)).toEqual(
    ['/home/a/.nvm/v1/node', '/a/_npx/b.js'].map(
      (path) => `${path} belongs to a version or a cache. Install again after an update`,
    ),
  )
  expect(pathWarnings({ url: URL_WORD, headers: {} })).toEqual([])
})

it.each([
  ['a\nb\nc', 'a\nx\nc', ['@@ -2,1 +2,1 @@', '-b', '+x']],
  ['a\nc', 'a\nb\nc', ['@@ -2,0 +2,1 @@', '+b']],
  ['a\nb\nc', 'a\nc', ['@@ -2,1 +2,0 @@', '-b']],
  ['a\na', 'a\na\na', ['@@ -3,0 +3,1 @@', '+a']],
  ['a\na\na', 'a\na', ['@@ -3,1 +3,0 @@', '-a']],
  ['a\r\nb', 'x\nb', ['@@ -1,1 +1,1 @@', '-a', '+x']],
  ['', 'a\nb', ['@@ -1,1 +1,2 @@', '-', '+a', '+b']],
  ['a\nb', 'a\nx', ['@@ -2,1 +2,1 @@', '-b', '+x']],
])('diff() compares %j and %j', (before, after, lines) => {
  expect(diff('f', { text: before }, { text: after })).toBe(['--- f', '+++ f', ...lines].join('\n'))
})
