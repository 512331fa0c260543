import { describe, expect, it } from 'vitest'
import { removeEntry, setEntry } from '../../src/formats/edit-text.ts'
import { jsonFormat } from '../../src/formats/json.ts'
import { tomlFormat } from '../../src/formats/toml.ts'
import { yamlFormat } from '../../src/formats/yaml.ts'

const edit = { key: 'servers', name: 'shop' }
const entry = { command: 'x', args: ['a', 1], env: { 'A B': '1' } }

/**
 * The text before the entry is added, with the entry, and after the entry is removed, if that differs from
 * the first.
 */
type Row = readonly [before: string, added: string, removed?: string]

const JSON_TEXTS: readonly Row[] = [
  [
    '',
    '{\n  "servers": {\n    "shop": {\n      "command": "x",\n      "args": [\n        "a",\n        1\n      ],\n      "env": {\n        "A B": "1"\n      }\n    }\n  }\n}\n',
    '{\n  "servers": {}\n}\n',
  ],
  [
    '\r\n',
    '{\r\n  "servers": {\r\n    "shop": {\r\n      "command": "x",\r\n      "args": [\r\n        "a",\r\n        1\r\n      ],\r\n      "env": {\r\n        "A B": "1"\r\n      }\r\n    }\r\n  }\r\n}\r\n',
    '{\r\n  "servers": {}\r\n}\r\n',
  ],
  [
    '{}',
    '{\n  "servers": {\n    "shop": {\n      "command": "x",\n      "args": [\n        "a",\n        1\n      ],\n      "env": {\n        "A B": "1"\n      }\n    }\n  }\n}',
    '{\n  "servers": {}\n}',
  ],
  [
    '{ }',
    '{\n  "servers": {\n    "shop": {\n      "command": "x",\n      "args": [\n        "a",\n        1\n      ],\n      "env": {\n        "A B": "1"\n      }\n    }\n  }\n }',
    '{\n  "servers": {}\n }',
  ],
  [
    '{\n}\n',
    '{\n  "servers": {\n    "shop": {\n      "command": "x",\n      "args": [\n        "a",\n        1\n      ],\n      "env": {\n        "A B": "1"\n      }\n    }\n  }\n}\n',
    '{\n  "servers": {}\n}\n',
  ],
  [
    '{"a":1}',
    '{"a":1, "servers": {"shop":{"command":"x","args":["a",1],"env":{"A B":"1"}}}}',
    '{"a":1, "servers": {}}',
  ],
  [
    '{"a": 1,}',
    '{"a": 1, "servers": {"shop":{"command":"x","args":["a",1],"env":{"A B":"1"}}},}',
    '{"a": 1, "servers": {},}',
  ],
  [
    '{\n\t"a": 1\n}\n',
    '{\n\t"a": 1,\n\t"servers": {\n\t\t"shop": {\n\t\t\t"command": "x",\n\t\t\t"args": [\n\t\t\t\t"a",\n\t\t\t\t1\n\t\t\t],\n\t\t\t"env": {\n\t\t\t\t"A B": "1"\n\t\t\t}\n\t\t}\n\t}\n}\n',
    '{\n\t"a": 1,\n\t"servers": {}\n}\n',
  ],
  [
    '{\n    "a": 1, // b\n}',
    '{\n    "a": 1, // b\n    "servers": {\n        "shop": {\n            "command": "x",\n            "args": [\n                "a",\n                1\n            ],\n            "env": {\n                "A B": "1"\n            }\n        }\n    },\n}',
    '{\n    "a": 1, // b\n    "servers": {},\n}',
  ],
  [
    '{"servers":{}}',
    '{"servers":{\n  "shop": {\n    "command": "x",\n    "args": [\n      "a",\n      1\n    ],\n    "env": {\n      "A B": "1"\n    }\n  }\n}}',
  ],
  [
    '{\n  "servers": {\n  }\n}',
    '{\n  "servers": {\n    "shop": {\n      "command": "x",\n      "args": [\n        "a",\n        1\n      ],\n      "env": {\n        "A B": "1"\n      }\n    }\n  }\n}',
    '{\n  "servers": {}\n}',
  ],
  [
    '{\n  "servers": {} // c\n}\r\n',
    '{\n  "servers": {\n    "shop": {\n      "command": "x",\n      "args": [\n        "a",\n        1\n      ],\n      "env": {\n        "A B": "1"\n      }\n    }\n  } // c\n}\r\n',
  ],
  [
    '{ "servers": { "a": {"b":1} } }',
    '{ "servers": { "a": {"b":1}, "shop": {"command":"x","args":["a",1],"env":{"A B":"1"}} } }',
  ],
  [
    '{"servers": {"a": 1,}}',
    '{"servers": {"a": 1, "shop": {"command":"x","args":["a",1],"env":{"A B":"1"}},}}',
  ],
  [
    '{\n  "servers": {"a": 1}\n}',
    '{\n  "servers": {"a": 1, "shop": {"command":"x","args":["a",1],"env":{"A B":"1"}}}\n}',
  ],
  [
    '{\n"servers": {\n"a": 1\n}\n}',
    '{\n"servers": {\n"a": 1,\n"shop": {\n  "command": "x",\n  "args": [\n    "a",\n    1\n  ],\n  "env": {\n    "A B": "1"\n  }\n}\n}\n}',
  ],
  [
    '{\n  "servers": { "a": 1,\n  }\n}',
    '{\n  "servers": { "a": 1,\n  "shop": {\n    "command": "x",\n    "args": [\n      "a",\n      1\n    ],\n    "env": {\n      "A B": "1"\n    }\n  },\n  }\n}',
  ],
  [
    '{\n  "servers": {\n    // before\n    "a": 1 /* b, */,\n    // after\n  }\n}',
    '{\n  "servers": {\n    // before\n    "a": 1 /* b, */,\n    // after\n    "shop": {\n      "command": "x",\n      "args": [\n        "a",\n        1\n      ],\n      "env": {\n        "A B": "1"\n      }\n    },\n  }\n}',
  ],
]

const YAML_TEXTS: readonly Row[] = [
  [
    '',
    'servers:\n  shop:\n    command: x\n    args:\n      - a\n      - 1\n    env:\n      A B: "1"\n',
    'servers: {}\n',
  ],
  [
    '# c',
    '# c\nservers:\n  shop:\n    command: x\n    args:\n      - a\n      - 1\n    env:\n      A B: "1"\n',
    '# c\nservers: {}\n',
  ],
  [
    'a: 1',
    'a: 1\nservers:\n  shop:\n    command: x\n    args:\n      - a\n      - 1\n    env:\n      A B: "1"\n',
    'a: 1\nservers: {}\n',
  ],
  [
    'a: 1\r\n',
    'a: 1\r\nservers:\r\n  shop:\r\n    command: x\r\n    args:\r\n      - a\r\n      - 1\r\n    env:\r\n      A B: "1"\r\n',
    'a: 1\r\nservers: {}\r\n',
  ],
  [
    'servers:',
    'servers:\n  shop:\n    command: x\n    args:\n      - a\n      - 1\n    env:\n      A B: "1"',
    'servers: {}',
  ],
  [
    'servers: {}',
    'servers:\n  shop:\n    command: x\n    args:\n      - a\n      - 1\n    env:\n      A B: "1"',
  ],
  [
    'servers: {} # c\na: 1\n',
    'servers: # c\n  shop:\n    command: x\n    args:\n      - a\n      - 1\n    env:\n      A B: "1"\na: 1\n',
  ],
  [
    'servers: # c\na: 1\n',
    'servers: # c\n  shop:\n    command: x\n    args:\n      - a\n      - 1\n    env:\n      A B: "1"\na: 1\n',
    'servers: {} # c\na: 1\n',
  ],
  [
    'servers:\n  a: 1',
    'servers:\n  a: 1\n  shop:\n    command: x\n    args:\n      - a\n      - 1\n    env:\n      A B: "1"',
  ],
  [
    'servers:\n    a: 1\n    b:\n      c: 1\n\n# end\nz: 2\n',
    'servers:\n    a: 1\n    b:\n      c: 1\n    shop:\n      command: x\n      args:\n        - a\n        - 1\n      env:\n        A B: "1"\n\n# end\nz: 2\n',
  ],
  [
    'servers:\r\n  a:\r\n    - b\r\nz: 1\r\n',
    'servers:\r\n  a:\r\n    - b\r\n  shop:\r\n    command: x\r\n    args:\r\n      - a\r\n      - 1\r\n    env:\r\n      A B: "1"\r\nz: 1\r\n',
  ],
  [
    '"servers":\n  a: 1\n',
    '"servers":\n  a: 1\n  shop:\n    command: x\n    args:\n      - a\n      - 1\n    env:\n      A B: "1"\n',
  ],
  [
    'servers:\n  a: |\n    text\n\nb: 1\n',
    'servers:\n  a: |\n    text\n  shop:\n    command: x\n    args:\n      - a\n      - 1\n    env:\n      A B: "1"\n\nb: 1\n',
  ],
  [
    'servers:\n  a:\n',
    'servers:\n  a:\n  shop:\n    command: x\n    args:\n      - a\n      - 1\n    env:\n      A B: "1"\n',
  ],
]

const TOML_TEXTS: readonly Row[] = [
  ['', '[servers.shop]\ncommand = "x"\nargs = ["a", 1]\nenv = { "A B" = "1" }\n'],
  ['a = 1', 'a = 1\n\n[servers.shop]\ncommand = "x"\nargs = ["a", 1]\nenv = { "A B" = "1" }'],
  ['a = 1\n', 'a = 1\n\n[servers.shop]\ncommand = "x"\nargs = ["a", 1]\nenv = { "A B" = "1" }\n'],
  [
    'a = 1\r\n',
    'a = 1\r\n\r\n[servers.shop]\r\ncommand = "x"\r\nargs = ["a", 1]\r\nenv = { "A B" = "1" }\r\n',
  ],
  ['[servers]\n', '[servers]\n\n[servers.shop]\ncommand = "x"\nargs = ["a", 1]\nenv = { "A B" = "1" }\n'],
  [
    '[servers.a]\nb = 1\n\n[c]\n',
    '[servers.a]\nb = 1\n\n[c]\n\n[servers.shop]\ncommand = "x"\nargs = ["a", 1]\nenv = { "A B" = "1" }\n',
  ],
  [
    '[servers.a]\n\n# c\n',
    '[servers.a]\n\n# c\n\n[servers.shop]\ncommand = "x"\nargs = ["a", 1]\nenv = { "A B" = "1" }\n',
  ],
  [
    '[servers.shopper]\na = 1\n',
    '[servers.shopper]\na = 1\n\n[servers.shop]\ncommand = "x"\nargs = ["a", 1]\nenv = { "A B" = "1" }\n',
  ],
]

describe.each([
  ['JSON', jsonFormat, JSON_TEXTS],
  ['YAML', yamlFormat, YAML_TEXTS],
  ['TOML', tomlFormat, TOML_TEXTS],
] as const)('setEntry and removeEntry in %s', (_, format, rows) => {
  it.each(rows.map(([before, added, removed = before]) => ({ before, added, removed })))(
    'add an entry to $before and remove it again',
    ({ before, added, removed }) => {
      expect(setEntry(format, before, edit, entry)).toBe(added)
      expect(removeEntry(format, added, edit)).toBe(removed)
    },
  )
})

const other = { command: 'y', args: ['a', 1], url: 'z' }

it.each([
  ['JSON', jsonFormat, [JSON_TEXTS[0], JSON_TEXTS[7], JSON_TEXTS[8], JSON_TEXTS[11], JSON_TEXTS[15]]],
  ['YAML', yamlFormat, YAML_TEXTS],
  ['TOML', tomlFormat, TOML_TEXTS],
] as const)(
  'setEntry in %s has the same result whether it replaces an entry or adds a new one',
  (_, format, rows) => {
    for (const [before = ''] of rows.map((row) => row ?? []))
      expect(setEntry(format, setEntry(format, before, edit, entry), edit, other)).toBe(
        setEntry(format, before, edit, other),
      )
  },
)

it('jsonFormat keeps a single-line entry on one line when it replaces the entry', () => {
  const before = '{"servers": {"shop": {"command":"x","args":["a",1],"env":{}}}}'
  expect(setEntry(jsonFormat, before, edit, other)).toBe(
    '{"servers": {"shop": {"command":"y","args":["a",1], "url": "z"}}}',
  )
})

it.each([
  ['[ servers . "shop" ]\na=1\n[servers.shop.env]\nb=1\n# c\n\n[z]\n', '# c\n\n[z]\n'],
  ["x=1\n[servers.'shop']\na=1\n", 'x=1\n'],
  ['x=1\n\n[servers.shop]\na=1\n[[z]]\n', 'x=1\n[[z]]\n'],
  ['[servers.shop.env]\na=1\n\n[z]', '\n[z]'],
])('tomlFormat removes an entry together with its tables: %j', (text, rest) => {
  expect(removeEntry(tomlFormat, text, edit)).toBe(rest)
})

it.each([
  [jsonFormat, '{}', 'servers is not there'],
  [jsonFormat, '', 'servers is not there'],
  [jsonFormat, '{"servers":{}}', 'shop is not there'],
  [jsonFormat, '{"servers":1}', 'servers is not an object'],
  [yamlFormat, 'a: 1', 'servers has another form than indented lines'],
  [yamlFormat, 'servers:\n  a: 1\n', 'servers has another form than indented lines'],
  [yamlFormat, 'servers: {shop: 1}', 'servers has another form than indented lines'],
  [yamlFormat, '{servers: {shop: 1}}', 'its top has another form than lines'],
  [yamlFormat, '- a', 'it has no object at its top'],
  [tomlFormat, 'a = 1', 'servers.shop has another form than a table'],
  [tomlFormat, 'servers.shop.a = 1', 'servers.shop has another form than a table'],
])('%o cannot remove an entry from %j', (format, text, message) => {
  expect(() => removeEntry(format, text, edit)).toThrow(message)
})

it.each([
  [jsonFormat, '{"servers":{"shop":1}}', 'shop is not an object'],
  [yamlFormat, 'servers:\n- a\n', 'servers has another form than indented lines'],
  [yamlFormat, 'servers: x\n', 'servers has another form than indented lines'],
  [yamlFormat, 'servers: null\n', 'it is written in a form that cannot be edited'],
  [tomlFormat, 'servers = {}\n', 'it is written in a form that cannot be edited'],
  [tomlFormat, 'servers = 1\n', 'it is written in a form that cannot be edited'],
])('%o cannot add an entry to %j', (format, text, message) => {
  expect(() => setEntry(format, text, edit, entry)).toThrow(message)
})

it.each([
  [jsonFormat, '{"a":\n}', 'Invalid JSON at line 2, column 1'],
  [yamlFormat, 'a:\n  - b\n c: [\n', / at line \d, column \d$/],
  [tomlFormat, 'a = 1\nb = \n', / at line 2, column 5$/],
])('%o reports the position of the syntax error in %j', (format, text, message) => {
  expect(() => format.parse(text)).toThrow(message)
})
