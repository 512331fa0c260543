import { McpServer } from '@jetway/core'
import { expect, it } from 'vitest'
import { findServer } from '../../src/server-file/find-server.ts'

const [a, b, c] = ['a', 'b', 'c'].map((name) => new McpServer({ name, version: '1' })) as [
  McpServer,
  McpServer,
  McpServer,
]

it.each<readonly [string, exported: object, name: string | undefined, McpServer | undefined]>([
  ['that is named', { default: a, server: b, other: c }, 'other', c],
  ['that is the default', { other: c, server: b, default: a }, undefined, a],
  ['that is called server', { other: c, server: b }, undefined, b],
  [
    'that is the only one',
    { port: 1, other: c, none: null, like: { addTool() {}, connect() {} } },
    undefined,
    c,
  ],
  ['that has two names', { other: c, another: c }, undefined, c],
  ['of none', { port: 1 }, undefined, undefined],
])('findServer returns the server %s', (_, exported, name, expected) => {
  expect(findServer('a.ts', { ...exported }, name)).toBe(expected)
})

it('findServer returns nothing for a file that serves by itself', async () => {
  const served = new McpServer({ name: 'served', version: '1' })
  const { mcp } = await import('@jetway/node')
  mcp({ server: served, path: '/mcp' })
  expect(served.stats().mounts).toBe(1)
  expect(findServer('a.ts', { other: c, served }, undefined)).toBeUndefined()
})

it.each([
  [{ a, b }, undefined, 'a.ts exports several servers: a, b', 'Choose one with --export'],
  [{ a, port: 1 }, 'c', 'a.ts exports no McpServer as c', 'It exports a, port'],
  [{ a, port: 1 }, 'port', 'a.ts exports no McpServer as port', 'It exports a, port'],
  [{}, 'c', 'a.ts exports no McpServer as c', 'It exports nothing'],
])('findServer refuses %o with the name %s', (exported, name, message, hint) => {
  expect(() => findServer('a.ts', exported, name)).toThrow(expect.objectContaining({ message, hint }))
})
