import { describe, expect, it } from 'vitest'
import {
  routeOf,
  routePaths,
  messagePath,
  resolveSsePaths,
  type SsePaths,
} from '../../../src/http/sse-paths.ts'

const DEFAULT = resolveSsePaths(true) as SsePaths

describe('HTTP+SSE paths', () => {
  it.each([
    ['/mcp', true, ['/mcp', '/sse', '/message']],
    ['mcp', true, ['/mcp', '/sse', '/message']],
    ['/', true, ['/', '/sse', '/message']],
    ['/api/mcp', true, ['/api/mcp', '/api/sse', '/api/message']],
    ['/mcp', false, ['/mcp']],
    ['/mcp', undefined, ['/mcp']],
    ['/mcp', { ssePath: '/mcp/sse', messagePath: 'mcp/message' }, ['/mcp', '/mcp/sse', '/mcp/message']],
    ['/a/mcp', { messagePath: '/messages' }, ['/a/mcp', '/a/sse', '/a/messages']],
  ] as const)('are in the same directory as the path %s with the option %j', (path, option, paths) => {
    expect([...routePaths(path, option).keys()]).toEqual(paths)
    expect([...routePaths(path, option).values()]).toEqual(['mcp', 'sse', 'message'].slice(0, paths.length))
  })

  it.each([
    ['/mcp', { ssePath: '/a', messagePath: '/a' }],
    ['/sse', true],
    ['/mcp', { ssePath: '' }],
    ['/mcp', { ssePath: '/' }],
    ['/mcp', { messagePath: '/message?x=1' }],
    ['/mcp', { messagePath: '/a b' }],
    ['/mcp', { messagePath: '//evil.example/message' }],
    ['/mcp', { messagePath: '/a\r\ndata: x' }],
    ['/mcp', { ssePath: 7 as unknown as string }],
    ['/mcp', 'yes' as unknown as boolean],
  ])('are rejected for the path %s with the option %j', (path, option) => {
    expect(() => routePaths(path, option)).toThrow(expect.objectContaining({ code: 'ERR_MCP_OPTION' }))
  })

  it.each([
    ['/sse', 'sse'],
    ['/any/base/sse', 'sse'],
    ['/message', 'message'],
    ['/base/message/', 'message'],
    ['/mcp', 'mcp'],
    ['/messages', 'mcp'],
    ['/base/xsse', 'mcp'],
  ])('are recognised under any base path: %s', (path, route) => {
    expect(routeOf(true)?.(path)).toBe(route)
  })
})

describe('the message path in the endpoint event', () => {
  it.each([
    ['/sse', undefined, '/message'],
    ['/sse/', undefined, '/message'],
    [undefined, undefined, '/message'],
    ['/api/v1/sse', undefined, '/api/v1/message'],
    ['/h%C3%A9/sse', undefined, '/h%C3%A9/message'],
    ['/rewritten', undefined, '/message'],
    ['/sse', '/public/mcp', '/public/message'],
    ['/inner/sse', '/mcp', '/message'],
    ['/api/sse', '/api/', '/api/message'],
  ])("is derived from the stream's URL %s and the public path %s", (requested, publicPath, expected) => {
    expect(messagePath(DEFAULT, publicPath, requested)).toBe(expected)
  })

  it('is taken from the option if the option contains paths', () => {
    const paths = resolveSsePaths({ ssePath: 'mcp/sse', messagePath: 'mcp/message' }) as SsePaths
    expect(messagePath(paths, undefined, '/a/mcp/sse')).toBe('/a/mcp/message')
    expect(messagePath(paths, '/x/mcp', '/mcp/sse')).toBe('/x/mcp/message')
  })

  it.each(['//evil.example/sse', '/\\evil.example/sse', '\\\\evil.example/sse', '///evil.example/sse'])(
    'never points to another host: %s',
    (requested) => {
      const path = messagePath(DEFAULT, undefined, requested)
      expect(new URL(path, 'http://localhost:3000').host).toBe('localhost:3000')
    },
  )
})
