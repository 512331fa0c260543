import { describe, expect, it } from 'vitest'
import { McpServer } from '../../../src/index.ts'

/** The maximum delay of a timer, in ms. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1
const handler = (): string => 'x'

const addTool = (more: object): unknown =>
  new McpServer({ name: 'test', version: '1' }).addTool({ name: 't', handler, ...more })
const addResource = (more: object): unknown =>
  new McpServer({ name: 'test', version: '1' }).addResource({ uri: 'a://b', name: 'b', handler, ...more })

describe('a definition', () => {
  it.each<[string, (more: object) => unknown, object]>([
    ['the shortest timeout', addTool, { timeoutMs: 1 }],
    ['the longest timeout', addTool, { timeoutMs: MAX_TIMEOUT_MS }],
    ['the smallest maxResultBytes', addTool, { maxResultBytes: 1024 }],
    ['a scope', addTool, { scopes: ['files:write'] }],
    ['a name of 128 characters', addTool, { name: 'x'.repeat(128) }],
    ['a name of 1024 characters', addResource, { name: 'x'.repeat(1024) }],
    ['a data: icon', addTool, { icons: [{ src: 'data:image/png;base64,aGk=' }] }],
    ['the lowest priority', addResource, { annotations: { priority: 0 } }],
    ['the highest priority', addResource, { annotations: { priority: 1 } }],
    ['every audience', addResource, { annotations: { audience: ['user', 'assistant'] } }],
    ['a lastModified date', addResource, { annotations: { lastModified: '2026-01-12' } }],
    ['no annotations', addResource, { annotations: {} }],
  ])('is accepted with %s', (_, add, more) => {
    expect(() => add(more)).not.toThrow()
  })

  it.each<[string, (more: object) => unknown, object, string]>([
    ['a timeout of 0', addTool, { timeoutMs: 0 }, 'needs a timeoutMs between 1'],
    ['a timeout that is too long', addTool, { timeoutMs: MAX_TIMEOUT_MS + 1 }, 'needs a timeoutMs between 1'],
    ['a timeout that is a string', addTool, { timeoutMs: '5' }, 'needs a timeoutMs between 1'],
    [
      'a maxResultBytes that is too small',
      addTool,
      { maxResultBytes: 1023 },
      'needs a whole number of bytes, 1024 or more',
    ],
    [
      'a fractional maxResultBytes',
      addTool,
      { maxResultBytes: 1024.5 },
      'needs a whole number of bytes, 1024 or more',
    ],
    ['a string instead of a list of scopes', addTool, { scopes: 'files:write' }, 'needs a list of scopes'],
    ['an empty scope', addTool, { scopes: [] }, 'needs a list of scopes'],
    ['a name of 129 characters', addTool, { name: 'x'.repeat(129) }, `name "${'x'.repeat(128)}" must be`],
    ['a name of 1025 characters', addResource, { name: 'x'.repeat(1025) }, '1 to 1024 characters'],
    ['a name that is not a string', addResource, { name: 5 }, 'needs a name'],
    ['a title that is not a string', addTool, { title: 5 }, 'needs a string as its title'],
    ['a description that is not a string', addTool, { description: 5 }, 'needs a string as its description'],
    ['metadata that is not an object', addTool, { _meta: 'x' }, 'needs an object as its _meta'],
    [
      'icons that are not an array',
      addTool,
      { icons: 'https://a.example/i.png' },
      'needs its icons in an array',
    ],
    ['an icon that is null', addTool, { icons: [null] }, 'has an icon whose src'],
    ['a priority below 0', addResource, { annotations: { priority: -0.1 } }, 'between 0 and 1'],
    ['a priority that is a string', addResource, { annotations: { priority: '1' } }, 'between 0 and 1'],
    [
      'an audience that is not an array',
      addResource,
      { annotations: { audience: 'user' } },
      'an array of "user"',
    ],
    ['an unknown audience', addResource, { annotations: { audience: ['user', 'x'] } }, 'an array of "user"'],
    ['an invalid date', addResource, { annotations: { lastModified: 'now' } }, 'ISO 8601'],
    ['an impossible date', addResource, { annotations: { lastModified: '2026-13-01' } }, 'ISO 8601'],
    ['a numeric date', addResource, { annotations: { lastModified: 5 } }, 'ISO 8601'],
  ])('is rejected with %s', (_, add, more, message) => {
    expect(() => add(more)).toThrow(message)
  })
})
