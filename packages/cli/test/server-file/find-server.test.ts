import { McpServer } from '@jetway/core'
import { McpServer as EdgeServer } from '@jetway/core/edge'
import { expect, it } from 'vitest'
import { findServer } from '../../src/server-file/find-server.ts'

const [a, b, c] = ['a', 'b', 'c'].map((name) => new McpServer({ name, version: '1' })) as [
  McpServer,
  McpServer,
  McpServer,
]
const edge = new EdgeServer({ name: 'edge', version: '1' })

it.each<readonly [string, exported: object, name: string | undefined, object | undefined]>([
  ['the export with the given name', { default: a, server: b, other: c }, 'other', c],
  ['the default export', { other: c, server: b, default: a }, undefined, a],
  ['the export called server', { other: c, server: b }, undefined, b],
  ['the only server', { port: 1, other: c, none: null, like: { addTool() {}, connect() {} } }, undefined, c],
  ['a server of @jetway/core/edge', { port: 1, edge }, undefined, edge],
  ['a server exported under two names', { other: c, another: c }, undefined, c],
  ['undefined if no server is exported', { port: 1 }, undefined, undefined],
])('findServer returns %s', (_, exported, name, expected) => {
  expect(findServer('a.ts', { ...exported }, name)).toBe(expected)
})

it('findServer returns undefined for a file that starts its own server', async () => {
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
])('findServer rejects the exports %o if the requested name is %s', (exported, name, message, hint) => {
  expect(() => findServer('a.ts', exported, name)).toThrow(expect.objectContaining({ message, hint }))
})
