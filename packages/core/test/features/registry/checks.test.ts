import { describe, expect, it } from 'vitest'
import { McpServer } from '../../../src/index.ts'

/** The longest time of a timer. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1
const handler = (): string => 'x'

const addTool = (more: object): unknown =>
  new McpServer({ name: 'test', version: '1' }).addTool({ name: 't', handler, ...more })
const addResource = (more: object): unknown =>
  new McpServer({ name: 'test', version: '1' }).addResource({ uri: 'a://b', name: 'b', handler, ...more })

describe('a definition', () => {
  it.each<[string, (more: object) => unknown, object]>([
    ['the shortest time', addTool, { timeoutMs: 1 }],
    ['the longest time', addTool, { timeoutMs: MAX_TIMEOUT_MS }],
    ['the fewest bytes', addTool, { maxResultBytes: 1024 }],
    ['a scope', addTool, { scopes: ['files:write'] }],
    ['a name of 128 characters', addTool, { name: 'x'.repeat(128) }],
    ['a name of 1024 characters', addResource, { name: 'x'.repeat(1024) }],
    ['an icon of data', addTool, { icons: [{ src: 'data:image/png;base64,aGk=' }] }],
    ['the least priority', addResource, { annotations: { priority: 0 } }],
    ['the highest priority', addResource, { annotations: { priority: 1 } }],
    ['all readers', addResource, { annotations: { audience: ['user', 'assistant'] } }],
    ['a day', addResource, { annotations: { lastModified: '2026-01-12' } }],
    ['no annotation', addResource, { annotations: {} }],
  ])('may have %s', (_, add, more) => {
    expect(() => add(more)).not.toThrow()
  })

  it.each<[string, (more: object) => unknown, object, string]>([
    ['no time', addTool, { timeoutMs: 0 }, 'needs a timeoutMs between 1'],
    ['a longer time', addTool, { timeoutMs: MAX_TIMEOUT_MS + 1 }, 'needs a timeoutMs between 1'],
    ['a time in text', addTool, { timeoutMs: '5' }, 'needs a timeoutMs between 1'],
    ['fewer bytes', addTool, { maxResultBytes: 1023 }, 'needs a whole number of bytes, 1024 or more'],
    ['half a byte', addTool, { maxResultBytes: 1024.5 }, 'needs a whole number of bytes, 1024 or more'],
    ['a scope in place of a list', addTool, { scopes: 'files:write' }, 'needs a list of scopes'],
    ['no scope', addTool, { scopes: [] }, 'needs a list of scopes'],
    ['a name of 129 characters', addTool, { name: 'x'.repeat(129) }, `name "${'x'.repeat(128)}" must be`],
    ['a name of 1025 characters', addResource, { name: 'x'.repeat(1025) }, '1 to 1024 characters'],
    ['a name that is no text', addResource, { name: 5 }, 'needs a name'],
    ['a title that is no text', addTool, { title: 5 }, 'needs a string as its title'],
    ['a description that is no text', addTool, { description: 5 }, 'needs a string as its description'],
    ['metadata that is no object', addTool, { _meta: 'x' }, 'needs an object as its _meta'],
    ['icons that are no list', addTool, { icons: 'https://a.example/i.png' }, 'needs its icons in an array'],
    ['an icon that is nothing', addTool, { icons: [null] }, 'has an icon whose src'],
    ['a priority below 0', addResource, { annotations: { priority: -0.1 } }, 'between 0 and 1'],
    ['a priority in text', addResource, { annotations: { priority: '1' } }, 'between 0 and 1'],
    ['a reader that is no list', addResource, { annotations: { audience: 'user' } }, 'an array of "user"'],
    ['an unknown reader', addResource, { annotations: { audience: ['user', 'x'] } }, 'an array of "user"'],
    ['a time that is none', addResource, { annotations: { lastModified: 'now' } }, 'ISO 8601'],
    ['a time that cannot be', addResource, { annotations: { lastModified: '2026-13-01' } }, 'ISO 8601'],
    ['a time in numbers', addResource, { annotations: { lastModified: 5 } }, 'ISO 8601'],
  ])('is refused with %s', (_, add, more, message) => {
    expect(() => add(more)).toThrow(message)
  })
})
