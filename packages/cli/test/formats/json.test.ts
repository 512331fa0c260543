import { describe, expect, it } from 'vitest'
import { removeEntry, setEntry } from '../../src/formats/edit-text.ts'
import { jsonFormat } from '../../src/formats/json.ts'

const edit = { key: 'mcpServers', name: 'shop' }
const entry = { command: '/bin/node', args: ['/x.js'] }

describe('jsonFormat', () => {
  it.each([
    ['an empty file', '', '{\n  "mcpServers": {\n    "shop": {\n'],
    ['tabs', '{\n\t"mcpServers": {\n\t\t"a": {}\n\t}\n}\n', '\n\t\t"a": {},\n\t\t"shop": {\n\t\t\t"command"'],
    [
      'CRLF',
      '{\r\n    "mcpServers": {\r\n        "a": {}\r\n    }\r\n}',
      '"a": {},\r\n        "shop": {\r\n            "command"',
    ],
    [
      'a comment after the last entry',
      '{\n  "mcpServers": {\n    "a": {} // mine\n  }\n}\n',
      '"a": {}, // mine\n    "shop": {',
    ],
    ['a trailing comma', '{\n  "mcpServers": {\n    "a": {},\n  },\n}\n', '"a": {},\n    "shop": {'],
    ['one line', '{"mcpServers": {"a": {}}}', '{"a": {}, "shop": {"command":"/bin/node","args":["/x.js"]}}'],
    ['no servers', '{\n  "theme": "dark" /* mine */\n}\n', '"theme": "dark", /* mine */\n  "mcpServers": {'],
    ['a byte order mark', '\uFEFF{\n  "mcpServers": {}\n}', '\uFEFF{\n  "mcpServers": {\n    "shop": {'],
  ])('adds an entry to %s', (_, before, part) => {
    const after = setEntry(jsonFormat, before, edit, entry)
    expect(after).toContain(part)
  })

  it.each([
    ['between others', '{"mcpServers": {"a": 1, "shop": {}, "b": 2}}', '{"mcpServers": {"a": 1, "b": 2}}'],
    [
      'before others',
      '{\n  "mcpServers": {\n    "shop": {},\n    "b": 2\n  }\n}',
      '{\n  "mcpServers": {\n    "b": 2\n  }\n}',
    ],
    ['under a comment', '{"mcpServers": {\n  // why\n  "shop": {}\n}}', '{"mcpServers": {\n  // why\n}}'],
  ])('removes an entry %s', (_, before, after) => {
    expect(removeEntry(jsonFormat, before, edit)).toBe(after)
  })

  it('does not reformat unchanged members', () => {
    const before =
      '{"mcpServers": {\n  "shop": {\n    "command": "old", // note\n    "disabled": true,\n    "args": [ 1 ]\n  }\n}}'
    expect(setEntry(jsonFormat, before, edit, { command: 'new', disabled: true, args: [1], url: 'x' })).toBe(
      '{"mcpServers": {\n  "shop": {\n    "command": "new", // note\n    "disabled": true,\n    "args": [ 1 ],\n    "url": "x"\n  }\n}}',
    )
  })

  it.each([
    ['a syntax error', '{\n  "a": }', /line 2, column 8/],
    ['a document that ends early', '{\n  "a": {', /^Invalid JSON at line 2, column 9$/],
    ['a line break in a string', '{"a": "\n"}', /^Invalid JSON at line 1, column 7$/],
    ['a list', '[]', /no object/],
    ['a repeated name', '{"mcpServers": {}, "mcpServers": {}}', /twice/],
    ['servers that are not an object', '{"mcpServers": []}', /not an object/],
    ['comments only', '// nothing', /no object/],
  ])('rejects %s', (_, text, message) => {
    expect(() => setEntry(jsonFormat, text, edit, entry)).toThrow(message)
  })
})
