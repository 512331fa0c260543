import { expect, it } from 'vitest'
import { printContents, printMessages, printToolResult } from '../../src/call/results.ts'
import { Terminal } from '../../src/terminal.ts'

function printed(print: (terminal: Terminal) => void, isTTY = false): string {
  let text = ''
  const stdout = { isTTY, write: (part: string) => (text += part) }
  print(
    new Terminal({ stdin: stdout, stdout, stderr: stdout, env: {} } as never, { json: false, yes: false }),
  )
  return text
}

const text = { type: 'text' as const, text: 'a' }
const image = { type: 'image' as const, mimeType: 'image/png', data: 'AAAA' }

it.each([
  [{ content: [text, { ...text, text: 'b' }] }, 'a\nb\n'],
  [{ content: [image] }, '[image image/png, 3 bytes]\n'],
  [{ content: [{ type: 'resource' as const, resource: { uri: 'a://b', text: 'c' } }] }, 'c\n'],
  [
    { content: [{ type: 'resource' as const, resource: { uri: 'a://b', blob: 'AA==' } }] },
    '[a://b, 1 bytes]\n',
  ],
  [{ content: [{ type: 'resource_link' as const, uri: 'a://b', name: 'c' }] }, '[c] a://b\n'],
  [{ content: [], structuredContent: { a: 1 } }, '{\n  "a": 1\n}\n'],
  [{ content: [image], structuredContent: { a: 1 } }, '[image image/png, 3 bytes]\n{\n  "a": 1\n}\n'],
  [{ content: [text, image], structuredContent: { a: 1 } }, 'a\n[image image/png, 3 bytes]\n'],
  [{ content: [] }, 'The result is empty. Does the handler return its value?\n'],
])('printToolResult() prints %j', (result, expected) => {
  expect(printed((terminal) => printToolResult(result as never, terminal))).toBe(expected)
})

it('printContents() prints a resource with its media type', () => {
  const contents = [
    { uri: 'a://b', text: 'c' },
    { uri: 'a://d', blob: 'AAAA', mimeType: 'x/y' },
  ]
  expect(printed((terminal) => printContents({ contents }, terminal))).toBe('c\n[a://d x/y, 3 bytes]\n')
})

it('printMessages() prints a prompt with its roles, without escape sequences on a terminal', () => {
  const messages = [
    { role: 'user', content: { type: 'text', text: '\u001B[2J' } },
    { role: 'assistant', content: image },
  ]
  const print = (terminal: Terminal): void => printMessages({ messages } as never, terminal)
  expect(printed(print)).toBe('user: \u001B[2J\nassistant: [image image/png, 3 bytes]\n')
  expect(printed(print, true)).not.toContain('\u001B[2J')
})
